package data

import "drolab/runner/data/internal/dataset"

// The types of runner/data/internal/dataset that the rest of the program uses.
type (
	Shape        = dataset.Shape
	Source       = dataset.Source
	ImageSource  = dataset.ImageSource
	Augment      = dataset.Augment
	Dataset      = dataset.Dataset
	Options      = dataset.Options
	MissingError = dataset.MissingError
	Encoder      = dataset.Encoder
	Sample       = dataset.Sample
	Sampled      = dataset.SampledColumn
	Role         = dataset.Role
	Column       = dataset.Column
	Provider     = dataset.Provider
	Sizes        = dataset.Sizes
	Files        = dataset.Files
	Remote       = dataset.Remote
	FetchOptions = dataset.FetchOptions
	TextError    = dataset.TextError
)

// PaperImbalance gives the ratios per class of the paper's CIFAR-10 experiment (math.md §6).
func PaperImbalance() []float64 { return dataset.PaperImbalance() }

// ClassCounts counts the samples of each of the first classes labels.
func ClassCounts(src Source, classes int) []int { return dataset.ClassCounts(src, classes) }

// GroupCounts counts the samples of each of the first groups groups.
func GroupCounts(src Source, groups int) []int { return dataset.GroupCounts(src, groups) }

// Row returns the place of sample i of a split in the files of the dataset, counted from 0 through
// all files in their order. The place is known only if Options.Rows was set.
func Row(src Source, i int) int { return dataset.Row(src, i) }

// CheckText returns a [*TextError] if b is not lines of UTF-8 text.
func CheckText(b []byte) error { return dataset.CheckText(b) }

// The roles of a [Sampled] column.
const (
	AsFeature = dataset.AsFeature
	AsLabel   = dataset.AsLabel
	AsGroup   = dataset.AsGroup
	LeftOut   = dataset.LeftOut
)

// PlainNumber rewrites a number with a decimal comma, separated thousands, a currency sign or a
// percent sign as programs read it. If ok is false, the cell is not such a number.
func PlainNumber(cell string) (plain string, ok bool) { return dataset.PlainNumber(cell) }
