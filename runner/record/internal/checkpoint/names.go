package checkpoint

import "fmt"

// Names in a run's folder.
const (
	FolderName = "checkpoints"
	LockName   = "lock" // in that folder: of pins, of labels, and of what is pruned
)

// File is what the log calls a checkpoint, from the run's folder on.
func File(step int64) string { return FolderName + "/" + stateName(step) }

// Names are the files of a checkpoint, the one first that makes it one.
func Names(step int64) []string {
	return []string{stateName(step), tensorsName(step), opaqueName(step), pinName(step)}
}

func stateName(step int64) string   { return fmt.Sprintf("step-%010d.json", step) }
func tensorsName(step int64) string { return fmt.Sprintf("step-%010d.safetensors", step) }

// opaqueName is the file of what a program has saved, in the place of tensors.
func opaqueName(step int64) string { return fmt.Sprintf("step-%010d.program", step) }

func pinName(step int64) string { return fmt.Sprintf("step-%010d.pin", step) }
