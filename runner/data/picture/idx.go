package picture

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// IDXFiles are the four files of a dataset in IDX form (LeCun, Cortes, Burges: the MNIST database),
// each maybe with .gz.
func IDXFiles() []string {
	return []string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
		"t10k-labels-idx1-ubyte"}
}

// idxSet is a dataset in IDX form.
type idxSet struct {
	name      string // as given to Open
	folder    string
	classes   []string // nil: as many as the labels show, named by number
	remedy    string
	mean, std []float32
	augment   data.Augment
}

func Mnist() *data.Provider {
	set := idxSet{
		name: "mnist", classes: Numbers(10), mean: []float32{.1307}, std: []float32{.3081},
		augment: data.Augment{Pad: 2}, // no flip: digits have a direction
	}
	return set.provider(
		"ten classes of 28×28 handwritten digits, 60 000 + 10 000 (LeCun, Cortes, Burges)",
		[]string{ // the authors' own site (yann.lecun.com) refuses downloads
			"https://ossci-datasets.s3.amazonaws.com/mnist/",
			"https://storage.googleapis.com/cvdf-datasets/mnist/",
		},
		[4]int64{9912422, 28881, 1648877, 4542},
		[4]string{"f68b3c2dcbeaaa9fbdd348bbdeb94873", "d53e105ee54ea40749a09fcbcd1e9432",
			"9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c"})
}

func Fashion() *data.Provider {
	set := idxSet{name: "fashion-mnist", mean: []float32{.2860}, std: []float32{.3530},
		augment: data.Augment{Pad: 2, Flip: true}, classes: []string{
			"t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
			"ankle boot"}}
	return set.provider(
		"ten classes of 28×28 pictures of clothes, 60 000 + 10 000 (Xiao, Rasul, Vollgraf 2017)",
		[]string{"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
		[4]int64{26421880, 29515, 4422102, 5148},
		[4]string{"8d4fb7e6c68d591d4c3dfef9ec88bf0d", "25c81989df183df01b3e8a0aad5dffbe",
			"bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310"})
}

// provider returns the Provider of a dataset of MNIST's sizes. Its files lie under its name in the
// data folder, and come from the first of the addresses that has them. Sizes and MD5 sums are those
// of the compressed files.
func (s idxSet) provider(purpose string, from []string, sizes [4]int64,
	sums [4]string) *data.Provider {
	s.remedy = "run `drolab data fetch " + s.name + "`"
	files := make([]data.Remote, len(sizes))
	for i, name := range IDXFiles() {
		files[i] = data.Remote{Name: name + ".gz", Size: sizes[i], Sum: "md5:" + sums[i]}
		for _, folder := range from {
			files[i].URLs = append(files[i].URLs, folder+name+".gz")
		}
	}
	return &data.Provider{
		Name: s.name, Purpose: purpose,
		Open: func(_ string, o data.Options) (*data.Dataset, error) {
			s.folder = filepath.Join(o.Dir, s.name)
			return s.open()
		},
		Files: &data.Files{Folder: s.name, Remote: files},
		Sizes: data.Sizes{Shape: data.Shape{C: 1, H: 28, W: 28}, Classes: 10, Train: 60000,
			Test: 10000}, Imbalance: data.PaperImbalance(),
	}
}

// IDXFolders provides "idx:DIR", IDX files of the user's own. These options may follow the folder:
//
//	names=A,B          names of the classes in their order; by default their numbers
//	scale=none         or standard: every channel by mean and deviation of the training split
func IDXFolders() *data.Provider {
	return &data.Provider{
		Name: "idx:", Argument: "DIR", Apart: true,
		Purpose: "images of your own: four IDX files named as MNIST's: " +
			"idx:DIR?names=A,B&scale=standard",
		Open: openIDX,
	}
}

func openIDX(name string, o data.Options) (*data.Dataset, error) {
	f, err := data.ParseOwn(name, "idx:", []string{"names", "scale=none|standard"}, o.Encoder)
	if err != nil {
		return nil, err
	}
	d, err := idxSet{name: name, folder: f.Path, classes: f.List("names"),
		remedy: "put the four IDX files there, plain or .gz, under the names of MNIST"}.open()
	if err != nil {
		return nil, err
	}
	d.Augment, d.Encoder.Options = ownAugment(d.Train.Shape()), f.Keep()
	if f.Choice("scale") == "standard" {
		fitScale(d, d.Train, data.Indices(0, d.Train.Len()), o)
	}
	return d, nil
}

func Numbers(n int) []string { return lists.Numbered("", 0, n) }

func (s idxSet) open() (*data.Dataset, error) {
	var mapped data.Mapped
	return mapped.Attach(s.join(&mapped))
}

// join makes a data set of the four files.
func (s idxSet) join(mapped *data.Mapped) (*data.Dataset, error) {
	var parts [4]idxArray
	var err error
	for i, file := range IDXFiles() {
		if parts[i], err = s.read(file, mapped); err != nil {
			return nil, err
		}
	}
	train, err := s.images(parts[0], parts[1])
	if err != nil {
		return nil, err
	}
	test, err := s.images(parts[2], parts[3])
	if err != nil {
		return nil, err
	}
	if train.Dims != test.Dims {
		return nil, fmt.Errorf("%s: training images are %v, test images %v", s.folder, train.Dims,
			test.Dims)
	}
	d := &data.Dataset{Classes: s.classes, Train: train, Test: test, Mean: s.mean, Std: s.std,
		Augment: s.augment}
	if d.Classes == nil {
		d.Classes = Numbers(1 + int(max(slices.Max(train.Labels), slices.Max(test.Labels))))
	}
	// Reads everything in order: what fits stays in memory.
	d.Checksum = data.Checksum(parts[0].Data, parts[1].Data, parts[2].Data, parts[3].Data)
	return d, nil
}

// read loads one file, plain or compressed.
func (s idxSet) read(file string, mapped *data.Mapped) (idxArray, error) {
	path := filepath.Join(s.folder, file)
	if !data.Exists(path) {
		path += ".gz"
	}
	if !data.Exists(path) {
		return idxArray{}, &data.MissingError{Dataset: s.name, Path: filepath.Join(s.folder,
			file) + "[.gz]", Remedy: s.remedy}
	}
	b, err := contents(path, mapped)
	if err != nil {
		return idxArray{}, err
	}
	return ParseIDX(path, b)
}

// contents returns the bytes of a file, uncompressed.
func contents(path string, mapped *data.Mapped) ([]byte, error) {
	if filepath.Ext(path) != ".gz" {
		return mapped.Contents(path)
	}
	f, err := data.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return data.Inflate(f, path, data.InMemory)
}

// images joins pixels ([N][H][W] or [N][C][H][W]) and labels ([N]).
func (s idxSet) images(x, y idxArray) (*data.Images, error) {
	var shape data.Shape
	switch len(x.Dims) {
	case 3:
		shape = data.Shape{C: 1, H: x.Dims[1], W: x.Dims[2]}
	case 4:
		shape = data.Shape{C: x.Dims[1], H: x.Dims[2], W: x.Dims[3]}
	default:
		return nil, fmt.Errorf("%s: images have %d dimensions, not 3 or 4", x.name, len(x.Dims))
	}
	if len(y.Dims) != 1 {
		return nil, fmt.Errorf("%s: labels have %d dimensions, not 1", y.name, len(y.Dims))
	}
	if x.Dims[0] != y.Dims[0] {
		return nil, fmt.Errorf("%s has %d labels for the %d images of %s",
			y.name, y.Dims[0], x.Dims[0], x.name)
	}
	marks := data.NewLabels(len(y.Data))
	for i, v := range y.Data {
		if s.classes != nil && int(v) >= len(s.classes) {
			return nil, fmt.Errorf("%s: label %d (byte %d) is %d, not 0 to %d: %s",
				y.name, i, 8+i, v, len(s.classes)-1, s.remedy)
		}
		marks.Labels[i] = uint16(v)
	}
	return &data.Images{Marks: marks, Dims: shape, Data: x.Data, Stride: shape.Len()}, nil
}

// idxArray is the content of one IDX file of bytes.
type idxArray struct {
	name string
	Dims []int
	Data []byte // of the file itself
}

// ParseIDX parses a whole file: the bytes 0 and 0, the type 8 (bytes), the number of dimensions,
// each dimension as a big-endian uint32, and the values. It allocates no memory of a size that the
// file declares.
func ParseIDX(name string, b []byte) (idxArray, error) {
	if len(b) < 4 || b[0] != 0 || b[1] != 0 {
		return idxArray{}, fmt.Errorf("%s: byte 0: not an IDX file", name)
	}
	if b[2] != 8 {
		return idxArray{}, fmt.Errorf("%s: byte 2: values of type %#x, not 0x8 (bytes)", name, b[2])
	}
	rank := int(b[3])
	if rank < 1 || rank > 4 {
		return idxArray{}, fmt.Errorf("%s: byte 3: %d dimensions, not 1 to 4", name, rank)
	}
	if len(b) < 4+4*rank {
		return idxArray{}, fmt.Errorf("%s: ends at byte %d, in the header", name, len(b))
	}
	a := idxArray{name: name, Dims: make([]int, rank), Data: b[4+4*rank:]}
	size := uint64(1)
	for i := range a.Dims {
		d := binary.BigEndian.Uint32(b[4+4*i:])
		size *= uint64(d)
		if d == 0 || size > uint64(len(a.Data)) {
			return idxArray{}, fmt.Errorf(
				"%s: byte %d: dimension %d is %d, "+
					"which does not suit the %d bytes that follow the header",
				name, 4+4*i, i, d, len(a.Data))
		}
		a.Dims[i] = int(d)
	}
	if size != uint64(len(a.Data)) {
		return idxArray{}, fmt.Errorf(
			"%s: %d bytes after the header for dimensions %v, which need %d",
			name, len(a.Data), a.Dims, size)
	}
	return a, nil
}
