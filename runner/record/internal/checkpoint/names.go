package checkpoint

import "fmt"

// Names in a run's folder.
const (
	FolderName = "checkpoints"
	LockName   = "lock" // in that folder: for pins, labels and pruning
)

// File returns the name of a checkpoint in the log: its path from the run's folder on.
func File(step int64) string { return FolderName + "/" + stateName(step) }

// Names returns the names of a checkpoint's files. The first is the JSON, without which there is no
// checkpoint.
func Names(step int64) []string {
	return []string{stateName(step), tensorsName(step), opaqueName(step), pinName(step)}
}

func stateName(step int64) string   { return fmt.Sprintf("step-%010d.json", step) }
func tensorsName(step int64) string { return fmt.Sprintf("step-%010d.safetensors", step) }

// opaqueName returns the name of the file that holds what a program saved, in place of tensors.
func opaqueName(step int64) string { return fmt.Sprintf("step-%010d.program", step) }

func pinName(step int64) string { return fmt.Sprintf("step-%010d.pin", step) }
