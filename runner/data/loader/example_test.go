package loader_test

import (
	"fmt"

	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
)

// A training loop opens a data set, makes a loader and takes batches; the loader's state goes into
// a checkpoint.
func Example() {
	set, err := source.Open("shapes",
		data.Options{Samples: 1000, Difficulty: .5, Imbalance: data.PaperImbalance()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Close()
	loader, err := loader.NewEpochs(set.Train,
		loader.Options{Batch: 128, Augment: set.Augment, Mean: set.Mean, Std: set.Std, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range loader.StepsPerEpoch() {
		b := loader.Next()
		fmt.Println(b.N, len(b.X) == b.N*set.Shape.Len(), len(b.Labels))
	}
	fmt.Println(loader.State().Epoch, data.ClassCounts(set.Train, len(set.Classes)))
	// Output:
	// 128 true 128
	// 128 true 128
	// 128 true 128
	// 128 true 128
	// 128 true 128
	// 1 [80 54 100 59 39 28 96 81 97 66]
}
