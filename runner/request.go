package runner

// Request asks for one run per spec.
type Request struct {
	Preset string
	// Parent is empty, or RUN@STEP: the runs go on from that checkpoint.
	Parent string
	Specs  []Spec // expanded: one algorithm and one seed each
	// IDs are the runs' names, one a spec; empty: the Store chooses them. An error
	// is an fs.ErrExist where one is taken.
	IDs []string
	Means
}

// Means is what runs are trained with on this machine. What is not set is the
// Queue's own.
type Means struct {
	DataDir string
	Threads int // for all runs of a request together
	// Dir is what a dataset's file is relative to; empty is this process's
	// working folder.
	Dir string
	// Until is how many epochs runs train before they stop, with a checkpoint;
	// 0, or more than they have: to their end.
	Until int
}
