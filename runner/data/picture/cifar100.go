package picture

import (
	"strings"

	"drolab/runner/data"
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
func CIFAR100() *data.Provider { return cifar100By("cifar100", "100 classes in 20 groups", 1) }

// CIFAR100Coarse gives the dataset by its 20 coarse labels, without groups.
func CIFAR100Coarse() *data.Provider {
	return cifar100By("cifar100-coarse", "the 20 coarse labels", 0)
}

func cifar100By(name, classes string, label int) *data.Provider {
	l := CIFAR{name: "cifar100", folder: CIFAR100Folder, archive: CIFAR100Archive,
		train: []string{"train.bin"}, test: "test.bin", most: 50000,
		labels: [][]string{CoarseClasses(), FineClasses()}, label: label,
		mean: []float32{.5071, .4865, .4409}, std: []float32{.2673, .2564, .2762}}
	return l.provider(name, classes, data.Remote{
		Name: CIFAR100Archive,
		Size: 168513733,
		Sum:  "md5:03b5dce01913d631647c71ecec9e9cb8",
		URLs: []string{"https://www.cs.toronto.edu/~kriz/" + CIFAR100Archive},
	})
}

// CIFAR-100 has the files train.bin and test.bin. A record begins with one byte for the coarse
// label and one for the fine label.
const (
	CIFAR100Folder  = "cifar-100-binary"
	CIFAR100Archive = "cifar-100-binary.tar.gz"
	CIFAR100Record  = 2 + 3*32*32
)
