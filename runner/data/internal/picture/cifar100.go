package picture

import (
	"strings"

	"drolab/runner/data/internal/dataset"
)

// CIFAR-100 has the files train.bin and test.bin. A record begins with one byte for the coarse
// label and one for the fine label.
const (
	CIFAR100Folder  = "cifar-100-binary"
	CIFAR100Archive = "cifar-100-binary.tar.gz"
	CIFAR100Record  = 2 + 3*32*32
)

func cifar100() CIFAR {
	return CIFAR{name: "cifar100", folder: CIFAR100Folder, archive: CIFAR100Archive,
		train: []string{"train.bin"}, test: "test.bin", labels: []int{20, 100}, most: 50000}
}

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

// CIFAR100Coarse gives the dataset by its 20 coarse labels, without groups.
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
			There:  cifar100().there,
		},
		Sizes: dataset.Sizes{
			Shape: dataset.Shape{C: 3, H: 32, W: 32}, Classes: len(classes),
			Train: 50000, Test: 10000,
		},
	}
}

// openCIFAR100 reads the dataset with one of its label bytes as the label. With the fine label, the
// coarse label is the group.
func openCIFAR100(dir string, label int) (*dataset.Dataset, error) {
	l := cifar100()
	train, test, err := l.load(dir)
	if err != nil {
		return nil, err
	}
	parts := [2]*dataset.Images{l.images(train, label), l.images(test, label)}
	d := &dataset.Dataset{Classes: CoarseClasses(), Train: parts[0], Test: parts[1],
		Checksum: dataset.Checksum(train, test),
		Mean:     []float32{.5071, .4865, .4409}, Std: []float32{.2673, .2564, .2762},
		Augment: dataset.Augment{Pad: 4, Flip: true}}
	if label == 1 {
		d.Classes, d.Groups = FineClasses(), CoarseClasses()
	}
	for _, part := range parts {
		part.Groups = make([]uint16, part.Len())
		for i := range part.Groups {
			part.Groups[i] = uint16(part.Data[i*part.Stride])
		}
	}
	return d, nil
}
