package data

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// The CIFAR-100 binary version (https://www.cs.toronto.edu/~kriz/cifar.html): train.bin and test.bin; a
// record is the byte of the coarse label, that of the fine label, and the pixels as in CIFAR-10.
const (
	cifar100Folder  = "cifar-100-binary"
	cifar100Archive = "cifar-100-binary.tar.gz"
	cifar100Record  = 2 + 3*32*32
)

func coarseClasses() []string {
	return strings.Split("aquatic mammals,fish,flowers,food containers,fruit and vegetables,"+
		"household electrical devices,household furniture,insects,large carnivores,large man-made outdoor things,"+
		"large natural outdoor scenes,large omnivores and herbivores,medium-sized mammals,"+
		"non-insect invertebrates,people,reptiles,small mammals,trees,vehicles 1,vehicles 2", ",")
}

func fineClasses() []string {
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

// cifar100 gives the dataset by its 100 fine labels, with the coarse ones as groups.
func cifar100() *Provider { return cifar100By("cifar100", "100 classes in 20 groups", 1) }

// cifar100Coarse gives it by its 20 coarse labels, without groups.
func cifar100Coarse() *Provider { return cifar100By("cifar100-coarse", "the 20 coarse labels", 0) }

func cifar100By(name, what string, label int) *Provider {
	archive := Remote{cifar100Archive, 168513733, "md5:03b5dce01913d631647c71ecec9e9cb8",
		[]string{"https://www.cs.toronto.edu/~kriz/" + cifar100Archive}}
	classes := [][]string{coarseClasses(), fineClasses()}[label]
	return &Provider{
		Name: name, Purpose: what + " of 32×32 photographs, 50 000 + 10 000 (Krizhevsky 2009)",
		Open: func(_ string, o Options) (*Dataset, error) { return openCIFAR100(o.Dir, label) },
		Pack: (*Dataset).compact,
		Files: &Files{Folder: ".", Remote: []Remote{archive}, There: func(dir string) bool {
			return exists(filepath.Join(dir, cifar100Archive)) ||
				allExist(filepath.Join(dir, cifar100Folder), []string{"train.bin", "test.bin"})
		}},
		Sizes: Sizes{Shape{3, 32, 32}, len(classes), 50000, 10000},
	}
}

// openCIFAR100 reads the unpacked files or, without them, the archive.
func openCIFAR100(dir string, label int) (*Dataset, error) {
	parts, err := readCIFAR100(dir)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Classes: coarseClasses(), Checksum: checksum(parts[0], parts[1]),
		Mean: []float32{.5071, .4865, .4409}, Std: []float32{.2673, .2564, .2762},
		Augment: Augment{Pad: 4, Flip: true}}
	if label == 1 {
		d.Classes, d.Groups = fineClasses(), coarseClasses()
	}
	d.Train, d.Test = cifar100Images(parts[0], label), cifar100Images(parts[1], label)
	return d, nil
}

// cifar100Images views records as a source.
func cifar100Images(records []byte, label int) *images {
	n := len(records) / cifar100Record
	src := &images{shape: Shape{3, 32, 32}, data: records, stride: cifar100Record, skip: 2,
		labels: make([]byte, n), groups: make([]uint16, n)}
	for i := range n {
		r := records[i*cifar100Record:]
		src.labels[i], src.groups[i] = r[label], uint16(r[0])
	}
	return src
}

// readCIFAR100 gives the records of the training and of the test split, checked.
func readCIFAR100(dir string) (parts [2][]byte, err error) {
	names := [2]string{"train.bin", "test.bin"}
	folder := filepath.Join(dir, cifar100Folder)
	if exists(folder) || !exists(filepath.Join(dir, cifar100Archive)) {
		for i, name := range names {
			path := filepath.Join(folder, name)
			f, err := openPresent("cifar100", path,
				"run `drolab data fetch cifar100` or name the folder that has it with --data DIR")
			if err != nil {
				return parts, err
			}
			defer f.Close()
			if parts[i], _, err = readWhole(f); err != nil {
				return parts, err
			}
			if err := checkCIFAR100(path, parts[i]); err != nil {
				return parts, err
			}
		}
		return parts, nil
	}
	path := filepath.Join(dir, cifar100Archive)
	f, err := openInput(path)
	if err != nil {
		return parts, err
	}
	defer f.Close()
	if parts, err = untarCIFAR100(f, names); err != nil {
		return parts, fmt.Errorf("%s: %w", path, err)
	}
	return parts, nil
}

// untarCIFAR100 gives the two files of an archive; memory is bounded by the sizes of the official ones.
func untarCIFAR100(r io.Reader, names [2]string) (parts [2][]byte, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return parts, err
	}
	const most = 50000 * cifar100Record
	t := tar.NewReader(io.LimitReader(z, 2*most))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return parts, err
		}
		for i, name := range names {
			if h.Name != cifar100Folder+"/"+name {
				continue
			}
			if h.Typeflag != tar.TypeReg || h.Size > most || parts[i] != nil {
				return parts, fmt.Errorf("holds %q twice, too large or not as a plain file", h.Name)
			}
			parts[i] = make([]byte, h.Size)
			if _, err = io.ReadFull(t, parts[i]); err == nil {
				err = checkCIFAR100(h.Name, parts[i])
			}
			if err != nil {
				return parts, err
			}
		}
	}
	for i, name := range names {
		if parts[i] == nil {
			return parts, fmt.Errorf("holds no %s/%s", cifar100Folder, name)
		}
	}
	return parts, nil
}

func checkCIFAR100(name string, b []byte) error {
	if len(b) == 0 || len(b)%cifar100Record != 0 {
		return fmt.Errorf("%s: %d bytes are no whole number of records of %d: run `drolab data fetch cifar100`",
			name, len(b), cifar100Record)
	}
	for at := 0; at < len(b); at += cifar100Record {
		if b[at] >= 20 || b[at+1] >= 100 {
			return fmt.Errorf("%s: record %d (byte %d) has labels %d and %d, not up to 19 and 99",
				name, at/cifar100Record, at, b[at], b[at+1])
		}
	}
	return nil
}
