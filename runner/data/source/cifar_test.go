package source

import (
	"os"
	"slices"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// The real data set gives the known figures, where DROLAB_DATA names the folder that holds it.
func TestRealCIFAR(t *testing.T) {
	testsize.NotShort(t, "reads 184 MB, and TestCIFAR of runner/data/picture small files")
	dir := os.Getenv("DROLAB_DATA")
	if e, _ := Info("cifar10", dir); dir == "" || !e.Available {
		t.Skip("needs the CIFAR-10 files: set DROLAB_DATA to the folder that has " +
			picture.CIFARFolder)
	}
	d, err := Open("cifar10", data.Options{Dir: dir, Imbalance: data.PaperImbalance()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Checksum != picture.CIFARChecksum {
		t.Errorf("checksum is %s, want %s", d.Checksum, picture.CIFARChecksum)
	}
	if got := data.ClassCounts(d.Train, 10); !slices.Equal(got,
		[]int{4020, 2715, 4985, 2965, 1950, 1425, 4795, 4030, 4835, 3300}) {
		t.Errorf("training counts %v", got)
	}
	if got := data.ClassCounts(d.Test, 10); !slices.Equal(got, slices.Repeat([]int{1000}, 10)) {
		t.Errorf("test counts %v", got)
	}
	if d.Train.Label(0) != 6 || d.Test.Label(0) != 3 { // a frog and a cat
		t.Errorf("the first labels are %d and %d, want 6 and 3", d.Train.Label(0), d.Test.Label(0))
	}
}
