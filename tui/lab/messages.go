package lab

// The sentences that several pages share.
const (
	atDefaults = "The view is at its defaults"
	savedAt    = "Saved at step %d"
	setBack    = "Set %s back to %s"
	setTo      = "Set %s to %s · u undoes it"
	untrusted  = "You have not started this version of the file before. It can do whatever you " +
		"can, so read it first. The checksum covers this file, not what it imports."
)
