package samples

// The sentences that the page shows. A constant's name says when its sentence is shown; a test
// reads all of them.
const (
	noEvaluation  = "No evaluation is running"
	evaluatingNow = "The samples are being evaluated"
	noneEvaluated = "No samples were evaluated. r tries again"
	noRun         = "No run chosen. Press P on a run of page 2 or 3"
	noSample      = "No sample matches"
	noRadius      = "The run has no further radius (see risk_radii)"
	noPictures    = "No pictures here, or no room for them"
	noOther       = "The run has no other checkpoint"
	aboutPage     = "The samples that the adversary weighs most at a run's checkpoint."
	opensHere     = "P on a run of Watch (2) or Runs (3) opens them here."
	escCancels    = "Esc cancels. The other pages keep working."
	readingData   = "Reading the checkpoint and the data"
	evaluating    = "Evaluating the %s split: %d %%"
)
