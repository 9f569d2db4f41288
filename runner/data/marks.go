package data

// Marks are the labels and groups of samples. Where no groups are given, both are the same memory.
// Members has a bit for each of Dataset.Members, in the same number of words for every sample.
// Keys has the number of the set of samples that must stay together; nil: split_by= is not given.
type Marks struct {
	Labels, Groups []uint16
	Members        []uint32
	Keys           []uint32
}

// NewMarks returns memory for the labels and the groups of n samples.
func NewMarks(n int) Marks { return Marks{Labels: make([]uint16, n), Groups: make([]uint16, n)} }

// NewLabels returns memory for the labels of n samples without groups.
func NewLabels(n int) Marks {
	labels := make([]uint16, n)
	return Marks{Labels: labels, Groups: labels}
}

func (m *Marks) Len() int { return len(m.Labels) }

func (m *Marks) Label(i int) int { return int(m.Labels[i]) }

func (m *Marks) Group(i int) int { return int(m.Groups[i]) }

// Marked is a list of samples with labels and groups.
type Marked interface {
	Len() int
	Label(i int) int
	Group(i int) int
}
