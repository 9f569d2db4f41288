package picture

import (
	"archive/tar"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"drolab/runner/data/internal/dataset"
)

// The CIFAR-100 binary version (https://www.cs.toronto.edu/~kriz/cifar.html): train.bin and
// test.bin; a record is the byte of the coarse label, that of the fine label, and the pixels as in
// CIFAR-10.
const (
	CIFAR100Folder  = "cifar-100-binary"
	CIFAR100Archive = "cifar-100-binary.tar.gz"
	CIFAR100Record  = 2 + 3*32*32
)

func CoarseClasses() []string {
	return []string{
		"aquatic mammals", "fish", "flowers", "food containers", "fruit and vegetables",
		"household electrical devices", "household furniture", "insects", "large carnivores",
		"large man-made outdoor things", "large natural outdoor scenes",
		"large omnivores and herbivores", "medium-sized mammals", "non-insect invertebrates",
		"people", "reptiles", "small mammals", "trees", "vehicles 1", "vehicles 2",
	}
}

func FineClasses() []string {
	return strings.Fields(`apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle
bowl boy bridge bus butterfly camel can castle caterpillar cattle
chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur
dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard
lamp lawn_mower leopard lion lizard lobster man maple_tree motorcycle mountain
mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree
plain plate poppy porcupine possum rabbit raccoon ray road rocket
rose sea seal shark shrew skunk skyscraper snail snake spider
squirrel streetcar sunflower sweet_pepper table tank telephone television tiger tractor
train trout tulip turtle wardrobe whale willow_tree wolf woman worm`)
}

// CIFAR100 gives the dataset by its 100 fine labels, with the coarse ones as groups.
func CIFAR100() *dataset.Provider { return cifar100By("cifar100", "100 classes in 20 groups", 1) }

// CIFAR100Coarse gives it by its 20 coarse labels, without groups.
func CIFAR100Coarse() *dataset.Provider {
	return cifar100By("cifar100-coarse", "the 20 coarse labels", 0)
}

func cifar100By(name, what string, label int) *dataset.Provider {
	archive := dataset.Remote{
		Name: CIFAR100Archive,
		Size: 168513733,
		Sum:  "md5:03b5dce01913d631647c71ecec9e9cb8",
		URLs: []string{"https://www.cs.toronto.edu/~kriz/" + CIFAR100Archive},
	}
	classes := [][]string{CoarseClasses(), FineClasses()}[label]
	return &dataset.Provider{
		Name: name, Purpose: what + " of 32×32 photographs, 50 000 + 10 000 (Krizhevsky 2009)",
		Open: func(_ string, o dataset.Options) (*dataset.Dataset, error) {
			return openCIFAR100(o.Dir, label)
		},
		Pack: dataset.Compact,
		Files: &dataset.Files{
			Folder: ".",
			Remote: []dataset.Remote{archive},
			There: func(dir string) bool {
				folder := filepath.Join(dir, CIFAR100Folder)
				return dataset.Exists(filepath.Join(dir, CIFAR100Archive)) ||
					dataset.AllExist(folder, []string{"train.bin", "test.bin"})
			},
		},
		Sizes: dataset.Sizes{
			Shape: dataset.Shape{C: 3, H: 32, W: 32}, Classes: len(classes),
			Train: 50000, Test: 10000,
		},
	}
}

// openCIFAR100 reads the unpacked files or, without them, the archive.
func openCIFAR100(dir string, label int) (*dataset.Dataset, error) {
	parts, err := readCIFAR100(dir)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Classes: CoarseClasses(), Checksum: dataset.Checksum(parts[0], parts[1]),
		Mean: []float32{.5071, .4865, .4409}, Std: []float32{.2673, .2564, .2762},
		Augment: dataset.Augment{Pad: 4, Flip: true}}
	if label == 1 {
		d.Classes, d.Groups = FineClasses(), CoarseClasses()
	}
	d.Train, d.Test = cifar100Images(parts[0], label), cifar100Images(parts[1], label)
	return d, nil
}

// cifar100Images views records as a source.
func cifar100Images(records []byte, label int) *dataset.Images {
	n := len(records) / CIFAR100Record
	src := &dataset.Images{Dims: dataset.Shape{C: 3, H: 32, W: 32}, Data: records,
		Stride: CIFAR100Record, Skip: 2,
		Labels: make([]byte, n), Groups: make([]uint16, n)}
	for i := range n {
		r := records[i*CIFAR100Record:]
		src.Labels[i], src.Groups[i] = r[label], uint16(r[0])
	}
	return src
}

// readCIFAR100 gives the records of the training and of the test split, checked.
func readCIFAR100(dir string) (parts [2][]byte, err error) {
	names := [2]string{"train.bin", "test.bin"}
	folder := filepath.Join(dir, CIFAR100Folder)
	if dataset.Exists(folder) || !dataset.Exists(filepath.Join(dir, CIFAR100Archive)) {
		for i, name := range names {
			path := filepath.Join(folder, name)
			f, err := dataset.OpenPresent("cifar100", path,
				"run `drolab data fetch cifar100` or name the folder that has it with --data DIR")
			if err != nil {
				return parts, err
			}
			defer f.Close()
			if parts[i], _, err = dataset.ReadWhole(f); err != nil {
				return parts, err
			}
			if err := checkCIFAR100(path, parts[i]); err != nil {
				return parts, err
			}
		}
		return parts, nil
	}
	path := filepath.Join(dir, CIFAR100Archive)
	f, err := dataset.OpenInput(path)
	if err != nil {
		return parts, err
	}
	defer f.Close()
	files, err := untarCIFAR100(f, names[:])
	if err != nil {
		return parts, fmt.Errorf("%s: %w", path, err)
	}
	return [2][]byte{files[names[0]], files[names[1]]}, nil
}

// untarCIFAR100 gives the two files of an archive; memory is bounded by the sizes of the official
// ones.
func untarCIFAR100(r io.Reader, names []string) (map[string][]byte, error) {
	const most = 50000 * CIFAR100Record
	return untar(r, 2*most, CIFAR100Folder, names, "cifar100",
		func(h *tar.Header, t io.Reader) ([]byte, error) {
			if h.Size > most {
				return nil, fmt.Errorf("holds %q, which is too large", h.Name)
			}
			b := make([]byte, h.Size)
			if _, err := io.ReadFull(t, b); err != nil {
				return nil, err
			}
			return b, checkCIFAR100(h.Name, b)
		})
}

func checkCIFAR100(name string, b []byte) error {
	if len(b) == 0 || len(b)%CIFAR100Record != 0 {
		return fmt.Errorf(
			"%s: %d bytes are no whole number of records of %d: run `drolab data fetch cifar100`",
			name, len(b), CIFAR100Record)
	}
	for at := 0; at < len(b); at += CIFAR100Record {
		if b[at] >= 20 || b[at+1] >= 100 {
			return fmt.Errorf("%s: record %d (byte %d) has labels %d and %d, not up to 19 and 99",
				name, at/CIFAR100Record, at, b[at], b[at+1])
		}
	}
	return nil
}
