package runner

// The splits of a dataset.
const (
	SplitTest  = "test"
	SplitVal   = "val"
	SplitTrain = "train"
)

// Splits lists the splits.
func Splits() []string { return []string{SplitTest, SplitVal, SplitTrain} }
