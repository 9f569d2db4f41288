package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// idxFiles are the four files of a dataset in IDX form (LeCun, Cortes, Burges: the MNIST database), each maybe with .gz.
func idxFiles() []string {
	return []string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}
}

// idxSet is a dataset in IDX form.
type idxSet struct {
	name      string // as given to Open
	folder    string
	classes   []string // nil: as many as the labels show, named by number
	remedy    string
	mean, std []float32
	augment   Augment
}

func mnist(dir string) idxSet {
	return idxSet{"mnist", filepath.Join(dir, "mnist"), numbers(10), "run `drolab data fetch mnist`",
		[]float32{.1307}, []float32{.3081}, Augment{Pad: 2}} // no flip: digits have a direction
}

func fashion(dir string) idxSet {
	classes := []string{"t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"}
	return idxSet{"fashion-mnist", filepath.Join(dir, "fashion-mnist"), classes, "run `drolab data fetch fashion-mnist`",
		[]float32{.2860}, []float32{.3530}, Augment{Pad: 2, Flip: true}}
}

// idxFolder gives the dataset "idx:DIR": IDX files of one's own, without augmentation or normalisation.
func idxFolder(name, folder string) idxSet {
	return idxSet{name: name, folder: folder, remedy: "put the four IDX files there, plain or .gz, under the names of MNIST"}
}

func numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

func (s idxSet) open(o Options) (d *Dataset, err error) {
	var parts [4]idxArray
	d = &Dataset{Name: s.name, Mean: s.mean, Std: s.std, Augment: s.augment}
	d.close = func() error {
		var errs error
		for _, p := range parts {
			if p.close != nil {
				errs = errors.Join(errs, p.close())
			}
		}
		return errs
	}
	defer func() {
		if err != nil {
			d.Close() // the first error is the one to tell
			d = nil
		}
	}()
	for i, file := range idxFiles() { // a part that fails to parse is still released
		if parts[i], err = s.read(file); err != nil {
			return d, err
		}
	}
	train, err := s.images(parts[0], parts[1])
	if err != nil {
		return d, err
	}
	test, err := s.images(parts[2], parts[3])
	if err != nil {
		return d, err
	}
	if train.shape != test.shape {
		return d, fmt.Errorf("%s: training images are %v, test images %v", s.folder, train.shape, test.shape)
	}
	d.Shape, d.Train, d.Test = train.shape, train, test
	if d.Classes = s.classes; d.Classes == nil {
		d.Classes = numbers(1 + max(highest(train.labels), highest(test.labels)))
	}
	d.Groups = d.Classes
	d.Checksum = checksum(train.data, train.labels, test.data, test.labels) // reads everything in order: what fits stays in memory
	for _, p := range parts {
		if p.close != nil {
			readAtRandom(p.whole)
		}
	}
	return d, d.restrict(o.Samples, o)
}

func highest(labels []byte) int {
	top := 0
	for _, v := range labels {
		top = max(top, int(v))
	}
	return top
}

// read loads one file, plain or compressed.
func (s idxSet) read(file string) (idxArray, error) {
	path := filepath.Join(s.folder, file)
	if !exists(path) {
		path += ".gz"
	}
	if !exists(path) {
		return idxArray{}, &MissingError{s.name, filepath.Join(s.folder, file) + "[.gz]", s.remedy}
	}
	b, release, err := s.bytes(path)
	if err != nil {
		return idxArray{}, err
	}
	a, err := parseIDX(path, b)
	a.whole, a.close = b, release
	return a, err
}

func (s idxSet) bytes(path string) ([]byte, func() error, error) {
	if filepath.Ext(path) != ".gz" {
		return contents(path, inMemory)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	b, err := inflate(f, path, inMemory)
	return b, nil, err
}

// images joins pixels ([N][H][W] or [N][C][H][W]) and labels ([N]).
func (s idxSet) images(x, y idxArray) (*images, error) {
	var shape Shape
	switch len(x.dims) {
	case 3:
		shape = Shape{1, x.dims[1], x.dims[2]}
	case 4:
		shape = Shape{x.dims[1], x.dims[2], x.dims[3]}
	default:
		return nil, fmt.Errorf("%s: images have %d dimensions, not 3 or 4", x.name, len(x.dims))
	}
	if len(y.dims) != 1 {
		return nil, fmt.Errorf("%s: labels have %d dimensions, not 1", y.name, len(y.dims))
	}
	if x.dims[0] != y.dims[0] {
		return nil, fmt.Errorf("%s has %d labels for the %d images of %s", y.name, y.dims[0], x.dims[0], x.name)
	}
	if s.classes != nil {
		for i, v := range y.data {
			if int(v) >= len(s.classes) {
				return nil, fmt.Errorf("%s: label %d (byte %d) is %d, not 0 to %d: %s", y.name, i, 8+i, v, len(s.classes)-1, s.remedy)
			}
		}
	}
	return &images{shape: shape, data: x.data, stride: shape.Len(), labels: y.data}, nil
}

// idxArray is the content of one IDX file of bytes.
type idxArray struct {
	name  string
	dims  []int
	data  []byte // of the file itself
	whole []byte // with the header
	close func() error
}

// parseIDX checks a whole file: 0, 0, type 8 (bytes), the number of dimensions, each dimension as a big-endian uint32,
// the values. It allocates nothing of a size that the file names.
func parseIDX(name string, b []byte) (idxArray, error) {
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
	a := idxArray{name: name, dims: make([]int, rank), data: b[4+4*rank:]}
	size := uint64(1)
	for i := range a.dims {
		d := binary.BigEndian.Uint32(b[4+4*i:])
		if size *= uint64(d); d == 0 || size > uint64(len(a.data)) {
			return idxArray{}, fmt.Errorf("%s: byte %d: dimension %d is %d, which does not suit the %d bytes that follow the header",
				name, 4+4*i, i, d, len(a.data))
		}
		a.dims[i] = int(d)
	}
	if size != uint64(len(a.data)) {
		return idxArray{}, fmt.Errorf("%s: %d bytes after the header for dimensions %v, which need %d", name, len(a.data), a.dims, size)
	}
	return a, nil
}
