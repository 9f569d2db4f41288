package report

import (
	"slices"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
)

// Publication compares a study's runs with the published experiment that the study repeats. Package
// paper has one for a study with a published table; it is handed over in Options.
type Publication interface {
	// Printed formats the printed value of a measure of an arm, for a column beside the arm's own.
	// It reports whether there is such a column. class is an index, or -1; without one,
	// class_accuracy is the mean of the table's lowest classes.
	Printed(arm, measured string, class int) (text string, ok bool)
	// ColumnsNote says of what the printed columns are.
	ColumnsNote() string
	// Departures and Readings are asked once the runs are in the report's conditions and
	// variations. Their blocks stand on its page.
	Departures(*Report) []Departure
	DepartureBlocks(*Report) []page.Block
	Readings(*Report) []Reading
	ReadingBlocks(*Report) []page.Block
}

// Departure is a setting in which the runs differ from the publication, or which it does not give.
type Departure struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Paper is the published value; it is empty where the publication is silent, so that the value
	// is a reading.
	Paper  string `json:"paper,omitempty"`
	Reason string `json:"reason"` // the reason that the preset gives
}

// Reading is one way to read what a published experiment leaves open, with the results of the
// study's first arm and of the baseline, trained in that way. Accuracies are measured on the test
// split at the last iterate, from 0 to 1.
type Reading struct {
	Name string `json:"name"` // the radius and the setting that is changed
	// Alike says that the baseline was trained with that setting. Else it does not train by the
	// setting, and its runs are those of the condition.
	Alike bool           `json:"alike"`
	Runs  int            `json:"runs"`  // of each of the two, one for each seed that both have
	First measure.Number `json:"first"` // mean accuracy
	Base  measure.Number `json:"base"`
	// FromFirst and FromBase are the distances of the classes' means to the published rows.
	FromFirst measure.Number `json:"from_first"`
	FromBase  measure.Number `json:"from_base"`
	// Lead is the first arm's mean accuracy less the baseline's.
	Lead Difference `json:"lead"`
}

// compareWithPublication fills in what the publication tells of the runs.
func (r *Report) compareWithPublication() {
	if r.publication == nil {
		return
	}
	r.Departures = append(r.Departures, r.publication.Departures(r)...)
	r.Readings = append(r.Readings, r.publication.Readings(r)...)
}

func (r *Report) departureBlocks() []page.Block {
	if r.publication == nil {
		return nil
	}
	return r.publication.DepartureBlocks(r)
}

func (r *Report) readingBlocks() []page.Block {
	if r.publication == nil {
		return nil
	}
	return r.publication.ReadingBlocks(r)
}

// printedColumn is a column of published figures.
var printedColumn = page.Column{Head: "paper", Faint: true}

// printed returns the published value of a measure of an arm, and whether there is a column of
// them.
func (p *Problem) printed(a *arm, measured, class string) (text string, ok bool) {
	if p.publication == nil {
		return "", false
	}
	return p.publication.Printed(a.name, measured, slices.Index(p.meta().Classes, class))
}

// RunsOf returns the runs of an arm of the study under the condition.
func (p *Problem) RunsOf(arm int) []*record.Run { return p.own[arm].recorded() }

// FirstOf returns the name and the runs of the study's first arm with that method that has runs;
// none without such an arm.
func (p *Problem) FirstOf(method dro.Algorithm) (name string, runs []*record.Run) {
	if a := p.arm(method); a != nil {
		return a.name, a.recorded()
	}
	return "", nil
}

// recorded returns the arm's runs, without what is read of their logs.
func (a *arm) recorded() []*record.Run {
	return lists.Map(a.runs, func(r *loggedRun) *record.Run { return r.Run })
}

// Paired returns the difference of a measure at the last iterate between runs a and b, over the
// seeds that both have.
func Paired(a, b []*record.Run, measured string) Difference {
	armOf := func(runs []*record.Run) *arm {
		return &arm{runs: lists.Map(runs, func(r *record.Run) *loggedRun {
			return &loggedRun{Run: r}
		})}
	}
	return differenceOf(armOf(a), armOf(b), ofEachRun(lastOf(measured, 0)), 0)
}
