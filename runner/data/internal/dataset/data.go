package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
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

// Options says where a dataset lies and which part of it to train on. The zero value is all of it,
// unchanged, from the current folder.
type Options struct {
	Dir        string  // data folder; the user's own files are found without it
	Difficulty float64 // "shapes" only: 0 (easy) to 1

	// Samples is the maximum number of training samples before imbalance, each class in proportion
	// to its share of the file; 0: all. For a Provider with AnySize, such as "shapes", it is the
	// number of training samples; 0: its Sizes.Train.
	Samples int

	// Imbalance is one ratio in (0, 1] a class, or nil. Class c keeps its first round(ratio·count)
	// training samples in file order, so that every method and every seed trains on the same
	// images. The test split stays whole.
	Imbalance []float64
	// Drawn keeps as many samples of each class, but draws which, by DrawSeed alone. Runs of one
	// seed then share their images, and other seeds have others.
	Drawn    bool
	DrawSeed uint64

	// ValFraction is the part of the remaining samples to hold out as Dataset.Val, in [0, 1): of
	// each class, or of each class and group (see Dataset.ByGroup). It must be 0 if the data have a
	// Val of their own.
	ValFraction float64

	// LabelNoise is the share of the training samples, in [0, 1), whose label is set to another
	// class, drawn uniformly. Given groups stay; groups that are the classes, or label × group,
	// follow the label.
	LabelNoise float64

	// Encoder, if set, is the encoder of the data that a network was trained on. The network is to
	// be used on this dataset: nothing is fitted, and all samples of the user's own files are the
	// test split, unless the files have one.
	Encoder *Encoder

	// Raw reads a table of another program's predictions: see [Raw]. No other option applies.
	Raw bool

	// Rows keeps the places that [Row] returns known, at some cost of memory or time.
	Rows bool

	// Glance is for a caller that reads a few samples now and then. A provider may leave the data
	// on the disk; Checksum is then "", since the data are not hashed.
	Glance bool

	// Progress, if it is not nil, is told how many of the samples have been read, from the first
	// moment on, by a provider that takes minutes. One call is made at a time, on any goroutine. An
	// error from it ends the reading, and what was read until then is not lost.
	Progress func(done, of int) error

	// Seed draws the data but for DrawSeed's part: the images of "shapes", the members of every
	// hold-out and the label noise. It is not the seed of a run; runs that are to be compared need
	// the same one.
	Seed uint64
}

// Validate returns an error if an option has an invalid value.
func Validate(o Options) error {
	switch {
	case o.Samples < 0:
		return fmt.Errorf("samples is %d: give a count of at least 0", o.Samples)
	case !(o.Difficulty >= 0 && o.Difficulty <= 1):
		return fmt.Errorf("difficulty is %v: give a number from 0 to 1", o.Difficulty)
	case !(o.ValFraction >= 0 && o.ValFraction < 1):
		return fmt.Errorf("val_fraction is %v: give a number from 0 to below 1", o.ValFraction)
	case !(o.LabelNoise >= 0 && o.LabelNoise < 1):
		return fmt.Errorf("label_noise is %v: give a number from 0 to below 1", o.LabelNoise)
	}
	for c, r := range o.Imbalance {
		if !(r > 0 && r <= 1) {
			return fmt.Errorf(
				"imbalance of class %d is %v: give a ratio above 0 and at most 1", c, r)
		}
	}
	return nil
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

// A Provider provides the dataset of one name or, if the name ends in a colon, the datasets of one
// scheme: "idx:" provides "idx:DIR" for every DIR. Name, Purpose and Open are required; of the
// rest, the zero value is the plain case.
type Provider struct {
	Name     string
	Argument string   // of a scheme: what follows the name in lists, as in DIR
	Endings  []string // of a scheme: a name that ends so belongs to it even without the prefix
	Purpose  string   // one line

	// Open reads the whole dataset: Classes, Train, Test, Checksum, and what else it has. The
	// package's Open does the rest: name, shape, cap, imbalance and hold-out.
	Open func(name string, o Options) (*Dataset, error)
	// Apart says that the files are the user's own, and that a separate process reads them after a
	// call of ReadApart (runner/data). The program must register the Provider in every process, and
	// its sources must be of the kinds that send (runner/data) knows.
	Apart bool
	// Raw says that Open knows Options.Raw.
	Raw bool
	// Pack puts the samples that the options have left into memory; nil: they stay where they are.
	Pack func(*Dataset)
	// Locate makes the paths in a name absolute; nil: the only path, if any, is the argument of a
	// scheme.
	Locate func(name string, absolute func(path string) string) string

	Files *Files // what Fetch brings into the data folder; nil: it needs nothing there
	Sizes Sizes  // of the whole dataset; zero: only opening it tells
	// AnySize says that Options.Samples is the number of training samples, or Sizes.Train if it is
	// 0, and not a maximum.
	AnySize bool
	// Table says that its samples are rows of numbers, and nothing to crop or mirror.
	Table bool
	// Unscaled says that features are used as they are, unless the option scale= standardises them.
	Unscaled bool
	// ByGroup sets Dataset.ByGroup. Only opening the dataset tells what a hold-out then leaves.
	ByGroup bool
	// Imbalance is the imbalance of a run that asks for none in particular: one ratio a class; nil:
	// all samples.
	Imbalance []float64
}

// Sizes are the shape of a sample and the numbers of classes and samples of a dataset.
type Sizes struct {
	Shape                Shape
	Classes, Train, Test int
}

// SizesBy returns the sizes of a provider's dataset; see KnownSizes (runner/data).
func SizesBy(p *Provider, o Options) (s Sizes, ok bool) {
	if p.Sizes == (Sizes{}) || Validate(o) != nil || o.suits(p.Sizes.Classes) != nil ||
		p.ByGroup && o.ValFraction > 0 {
		return Sizes{}, false
	}
	s = p.Sizes
	if p.AnySize && o.Samples > 0 {
		s.Train = o.Samples
	}
	counts := make([]int, s.Classes)
	for c := range counts {
		counts[c] = (s.Train + s.Classes - 1 - c) / s.Classes
	}
	s.Train = 0
	for _, n := range o.remaining(counts) {
		s.Train += n - Share(o.ValFraction, n)
	}
	return s, true
}

// These are the names of the columns of Raw tables; the name of a class follows RawProbability.
const (
	RawRow         = "row" // the row's place in the file, from 1; this column is always there
	RawLabel       = "label"
	RawGroup       = "group"
	RawPrediction  = "prediction"
	RawLoss        = "loss"
	RawSplit       = "split"
	RawProbability = "p_"
)

// MostRaw is the maximum number of rows of a Raw table, since a run keeps them.
const MostRaw = 1 << 20

// Raw returns the numbers of row i of a table that was read with Options.Raw, as its file has them,
// one for each of Encoder.Columns. In a column with categories, a number is a place among them.
func Raw(src Source, i int) []float64 {
	f := src.(*Features)
	list := make([]float64, f.Dims.C)
	for c := range list {
		list[c] = math.Float64frombits(binary.LittleEndian.Uint64(f.Data[8*(i*f.Dims.C+c):]))
	}
	return list
}

// Table is a Source of rows of float32.
type Table struct {
	Marks
	X      *RowBlocks
	Origin []uint32 // each row's place in the files, see Row; nil: its index
}

func (t *Table) Shape() Shape              { return Shape{t.X.Width, 1, 1} }
func (t *Table) Read(dst []float32, i int) { copy(dst, t.X.Row(i)) }

// BlockWords is the number of words of a block, unless a row is longer.
const BlockWords = 1 << 18

// RowBlocks holds rows of float32.
type RowBlocks = Rows[float32]

// Rows holds rows of words in blocks.
type Rows[T float32 | uint32] struct {
	Width, Per int
	Blocks     [][]T // of Per rows each, the last maybe of fewer
}

func (b *Rows[T]) Row(i int) []T {
	at := i % b.Per * b.Width
	return b.Blocks[i/b.Per][at : at+b.Width]
}
