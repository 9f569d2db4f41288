package data

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// Shape is the shape of one sample: channels, rows and columns. A table of F features has the shape
// Shape{F, 1, 1}.
type Shape struct{ C, H, W int }

// Len is the number of values of one sample.
func (s Shape) Len() int { return s.C * s.H * s.W }

func (s Shape) String() string { return fmt.Sprintf("%d×%d×%d", s.C, s.H, s.W) }

// InWords writes the shape in words: "3×32×32 images" or "12×1×1, rows of 12 features".
func InWords(s Shape) string {
	if s.H > 1 || s.W > 1 {
		return s.String() + " images"
	}
	return fmt.Sprintf("%v, rows of %d features", s, s.C)
}

// A Source is one split of a dataset: Len samples in a fixed order. Its methods are safe for
// concurrent use; an index outside [0, Len) panics.
type Source interface {
	Len() int
	Shape() Shape
	// Label is the class of sample i, an index into Dataset.Classes.
	Label(i int) int
	// Group is the group of sample i, an index into Dataset.Groups. It equals Label where there is
	// no group column.
	Group(i int) int
	// Read puts sample i, laid out [C][H][W], into dst, which has Shape().Len() places. Images give
	// byte/255, in [0, 1]; tables give the features as the loader shall see them, already
	// standardised.
	Read(dst []float32, i int)
}

// An ImageSource is a Source whose samples are bytes. Loaders use it to normalise by table.
type ImageSource interface {
	Source
	// Pixels returns sample i, laid out [C][H][W]. The result is memory of the source itself, which
	// must not be written, or buf[:Shape().Len()], filled. buf has at least that capacity.
	Pixels(buf []byte, i int) []byte
}

// Augment is the random change that a training loader makes to an image; the zero value makes none.
type Augment struct {
	// Pad is the number of pixels that are added on every side before a crop of the image's own
	// size is cut out; 0: no crop.
	Pad  int
	Mean bool // those pixels have the mean colour, 0 once normalised, and are not black
	Flip bool // mirror left and right with probability 1/2
}

// A Dataset is an opened dataset. It is read-only and may be shared by any number of loaders and
// goroutines.
type Dataset struct {
	Name    string
	Shape   Shape
	Classes []string // class names, in the order of Label
	// Groups are the group names, in the order of Group; the same as Classes where no groups are
	// given.
	Groups  []string
	Grouped bool     // groups are given: Groups are not just the classes
	Members *Members // the groups in which samples are measured, where these overlap; else nil
	// Unknown says of each group whether it stands for a missing value; nil: no group does.
	Unknown []bool
	// Ungrouped says that no training sample has a known group, though other samples have.
	Ungrouped bool
	// ByGroup says that a hold-out takes the same part of every class and group, not of every
	// class alone.
	ByGroup bool
	// SplitBy names the columns by which samples stay together in every split that is drawn.
	SplitBy string
	keys    *Keys  // the values of these columns; nil: none, or not known in this process
	Cells   *Cells // the parts of the groups, where these are label × group
	Train   Source // after cap, imbalance, hold-out and label noise
	Val     Source // the part held out of the training split, or the data's own; nil: none
	Test    Source // never capped, never imbalanced

	// Checksum identifies the data as opened, before cap, imbalance and hold-out. It is "sha256:"
	// and the hash of the (uncompressed) training and test bytes or, for drawn data, of the
	// generator's version and parameters.
	Checksum string

	// Mean and Std are the customary normalisation, one value a channel, in units of Read; nil:
	// none is needed.
	Mean, Std []float32
	Augment   Augment // customary augmentation; zero for tables

	// Notes tell the user how the files were read, a sentence each: a guess, something that was
	// left out, something in the test split that the training split lacks.
	Notes []string

	// Missing counts the kept samples without a value, by column. It has only columns that lack a
	// value.
	Missing map[string]int
	// Marks counts the missing values, by the cells that said so. It includes lines left out.
	Marks map[string]int

	Sample *Sample `json:"-"` // for tables that are opened for training; nil: none

	Encoder    Encoder // the encoding that a network trained on these samples needs
	Unlabelled bool    // the samples, all of them in Test, have no labels: Label is 0

	Release func() // a function that Close calls once; nil: none
	Mapped  Mapped // files that Close releases
}

// Close releases what the dataset holds. No source or loader of the dataset may be used after it.
func (d *Dataset) Close() error {
	err := d.Mapped.Close()
	if d.Release != nil {
		d.Release()
		d.Release = nil
	}
	return err
}

// PaperImbalance gives the ratios per class of the paper's CIFAR-10 experiment (math.md §6).
func PaperImbalance() []float64 {
	return []float64{.804, .543, .997, .593, .390, .285, .959, .806, .967, .660}
}

// MissingError says that a dataset's files are not there. Its text ends in the remedy.
type MissingError struct {
	Dataset string // as given to Open
	Path    string // the path that was looked for
	Remedy  string // a command or flag, as one clause
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("dataset %s: no %s: %s", e.Dataset, e.Path, e.Remedy)
}

var errNoTrain = errors.New(
	"no training samples are left: raise samples or imbalance, or lower val_fraction")

var ErrTwoVals = errors.New("the data have a validation split of their own: val_fraction must be 0")

// Checksum returns the value of Dataset.Checksum for some bytes.
func Checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return ChecksumOf(h)
}

// ChecksumOf returns the value of Dataset.Checksum for the bytes that h, a SHA-256, was given.
func ChecksumOf(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }
