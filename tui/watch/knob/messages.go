package knob

// The sentences that the form shows.
const (
	takesEffect = "Takes effect at the next step and is logged."
)
