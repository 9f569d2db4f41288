package launch

// The sentences that the page shows. A constant's name says when its sentence is shown; a test
// reads all of them.
const (
	firstRow        = "This is the first one"
	lastRow         = "This is the last one"
	startsAtPresets = "Runs start from the presets. Esc goes back to them"
	dataMissing     = "%s is not on this machine. drolab data fetch %s downloads it (%.0f MB)"
	tabToSettings   = "Press Tab to go to the settings first"
	asPreset        = " already has the value of the preset"
	noneChosen      = "no runs chosen"
	noneAlike       = "unknown until %s has run on %s here"
	noneSoLarge     = "unknown until a run has used this many samples"
	endless         = "unknown: the runs would not end"
	estimatedFrom   = "judging by %s here"
	coresFree       = ", shared with no other run"
	coresShared     = "%s, shared with %s"
	coresQueued     = "%s; %s ahead in the queue"
	changedFrom     = "Changed from the preset:"
	ownFile         = ": a file of your own, read when the runs start"
	starting        = "Starting "
)

// The film: its entry, and the preset of the runs that it shows.
const (
	filmed   = "shapes"
	plays    = "play"
	filmName = "a film of 60 seconds"
	filmDoc  = "watch how it works: recorded runs of shapes, with captions"
)

// welcome says in three sentences what the program is, to a user who opens the interface for the
// first time.
const welcome = "drolab trains a network with several methods and shows which classes suffer.\n" +
	"Robust methods let an adversary weigh hard samples more, within a radius ρ.\n" +
	"Enter reviews this preset, then starts it on Watch (2). Above it is a film."
