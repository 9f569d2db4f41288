package measure

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"drolab/runner/data"
)

// DataWarning is one way in which data mislead.
type DataWarning struct {
	Check   string   `json:"check"` // the name of the check
	Columns []string `json:"columns,omitempty"`
	Text    string   `json:"text"` // a sentence with the remedy
	quiet   bool
}

// check is a row of the table.
type check struct {
	name     string
	find     func(e *evidence) []finding
	sentence string // a format for the words of a finding
	quiet    bool   // shown on the card alone: runs have counts and intervals for it
}

type finding struct {
	columns []string
	words   []any
}

// checks is the table. Each finds nothing where the rows are too few to tell.
var checks = []check{
	{"leak", leaks, "%q alone predicts the label (AUROC %.3f): %s", false},
	{"identifier", ofEach(identifiers, data.AsFeature), "%q %s, as identifiers do: %s", false},
	{"twin", twins, "%q and %q %s: %s", false},
	{"kept_twin", keptTwins, "%q is left out, but its twin %q stays: %s", false},
	{"repeated_rows", repeated, "%d of %d test rows%s are also training rows: %s", false},
	{"shared_identifier", sharedIDs, "%d of %d test rows have a value of %q that training rows " +
		"have, too: %s", false},
	{"empty_column", ofEach(empty, data.AsFeature), "%q has no value in any row: %s", false},
	{"spelling", ofEach(spelling, data.AsFeature, data.AsLabel, data.AsGroup),
		"%q has both %q and %q: write them alike", false},
	{"number_as_text", ofEach(numbers, data.AsFeature),
		"%q is read as categories, because of %q: %s", false},
	{"code", ofEach(codes, data.AsFeature), "%q has %d whole numbers between %v and %v, as codes " +
		"do: add %s if they are no quantities", false},
	{"date", ofEach(dates, data.AsFeature),
		"%q has dates, read as %d categories: make it a number, or %s", false},
	{"scale", scales, "features range over %.2g to %.2g: add scale=standard", false},
	{"absent", absent, "%s %s has no %s samples", true},
	{"below_min_group", below, "%s %s has %d test samples, below min_group=%d: merge it", false},
	{"small", small, "%s %s is too small to measure: ± %.3g points with %d test samples", true},
}

// evidence has the data that checks look at.
type evidence struct {
	*data.Dataset
	*data.Sample // with no rows where there is none
	minGroup     int
	array        bool // its columns are features, without an option that leaves one out
}

// DataWarnings makes all checks of a data set. A group of fewer than minGroup test samples is not
// called the worst.
func DataWarnings(d *data.Dataset, minGroup int) (list []DataWarning) {
	e := newEvidence(d, minGroup)
	for _, c := range checks {
		list = append(list, c.warnings(e)...)
	}
	return list
}

func newEvidence(d *data.Dataset, minGroup int) *evidence {
	e := &evidence{Dataset: d, Sample: d.Sample, minGroup: minGroup}
	if e.array = e.Sample == nil; e.array {
		e.Sample = sampleOf(d)
	}
	return e
}

func (c *check) warnings(e *evidence) (list []DataWarning) {
	for _, f := range c.find(e) {
		list = append(list, DataWarning{c.name, f.columns, fmt.Sprintf(c.sentence, f.words...),
			c.quiet})
	}
	return list
}

// DataChecks says how many rows the checks have covered, or returns "" if they have covered all.
func DataChecks(d *data.Dataset) string {
	if s := d.Sample; s != nil && len(s.Labels) < s.Rows {
		return fmt.Sprintf("the checks of columns cover %d of %d rows", len(s.Labels), s.Rows)
	}
	return ""
}

// DataLines returns the warnings for the log of a run.
func DataLines(d *data.Dataset, minGroup int) []string {
	quiet := func(w DataWarning) bool { return w.quiet }
	return DataBrief(slices.DeleteFunc(DataWarnings(d, minGroup), quiet))
}

// DataBrief returns the texts of warnings. Of many of one check it gives the first and a count.
func DataBrief(list []DataWarning) (lines []string) {
	const many = 6
	for _, c := range checks {
		var texts []string
		for _, w := range list {
			if w.Check == c.name {
				texts = append(texts, w.Text)
			}
		}
		if n := len(texts); n >= many {
			texts = []string{fmt.Sprintf("%s (and %d more like that)", texts[0], n-1)}
		}
		lines = append(lines, texts...)
	}
	return lines
}

// leastRows is the least number of rows from which a check of columns can tell something.
const leastRows = 50

// withRoles returns the columns that have one of the roles, if there are enough rows.
func (e *evidence) withRoles(roles ...data.Role) (list []*data.Sampled) {
	if len(e.Labels) < leastRows {
		return nil
	}
	for i := range e.Columns {
		if c := &e.Columns[i]; slices.Contains(roles, c.Role) {
			list = append(list, c)
		}
	}
	return list
}

// ofEach makes the check of one column, which returns its words after the column's name or nil,
// the check of all columns that have one of the roles.
func ofEach(
	find func(e *evidence, c *data.Sampled) []any, roles ...data.Role,
) func(*evidence) []finding {
	return func(e *evidence) (list []finding) {
		for _, c := range e.withRoles(roles...) {
			if words := find(e, c); words != nil {
				list = append(list, finding{[]string{c.Name}, append([]any{c.Name}, words...)})
			}
		}
		return list
	}
}

// categorical returns the option that makes the values of one more column categories.
func (e *evidence) categorical(name string) string {
	var names []string
	for i := range e.Columns {
		if e.Columns[i].Declared == "categorical" {
			names = append(names, e.Columns[i].Name)
		}
	}
	return "categorical=" + strings.Join(append(names, name), ",")
}

// drop returns the remedy for one more column: the option that leaves it out, if there is one.
func (e *evidence) drop(name string) string {
	if e.array {
		return "take it out"
	}
	var names []string
	for i := range e.Columns {
		if e.Columns[i].Role == data.LeftOut {
			names = append(names, e.Columns[i].Name)
		}
	}
	return "drop=" + strings.Join(append(names, name), ",")
}

// sampleOf takes a sample of features that are numbers.
func sampleOf(d *data.Dataset) *data.Sample {
	const most, widest = 1 << 10, 1 << 12
	s := &data.Sample{}
	if d.Shape.H*d.Shape.W != 1 || d.Shape.C > widest || d.Unlabelled {
		return s
	}
	for _, name := range FeatureNames(d) {
		s.Columns = append(s.Columns, data.Sampled{Name: name})
	}
	x := make([]float32, d.Shape.C)
	take := func(src data.Source) {
		n := min(most, src.Len())
		for k := range n {
			i := k * src.Len() / n
			src.Read(x, i)
			for c, v := range x {
				s.Columns[c].Numbers = append(s.Columns[c].Numbers, float64(v))
			}
			s.Labels = append(s.Labels, uint16(src.Label(i)))
		}
		s.Rows += src.Len()
	}
	take(d.Train)
	if d.Val != nil {
		take(d.Val)
	}
	return s
}

// FeatureNames names the features of a table, by number where their columns have no name.
func FeatureNames(d *data.Dataset) (names []string) {
	for _, c := range d.Encoder.Columns {
		names = append(names, c.Features()...)
	}
	for i := len(names); i < d.Shape.C; i++ {
		names = append(names, fmt.Sprintf("feature %d", i))
	}
	return names
}

// identifiers finds columns of whole numbers or texts that differ in every row, and columns of
// whole numbers that grow with the row.
func identifiers(e *evidence, c *data.Sampled) []any {
	values, whole, grows, there := map[uint64]bool{}, true, true, 0
	last := math.Inf(-1)
	for row, v := range c.Numbers {
		if text, ok := c.Text(row); ok && text == "" {
			continue
		}
		there++
		values[c.Key(row)] = true
		whole = whole && (v != v || v == math.Trunc(v))
		grows = grows && v >= last
		last = v
	}
	switch {
	case there < leastRows || !whole:
	case grows && len(values) > there/2:
		return []any{"grows with the row", e.drop(c.Name)}
	case len(values) == there:
		return []any{"differs in every row", e.drop(c.Name)}
	}
	return nil
}

// empty finds columns without a value.
func empty(e *evidence, c *data.Sampled) []any {
	if len(c.Texts) == 1 && c.Texts[0] == "" && !slices.Contains(c.Codes, 0) {
		return []any{e.drop(c.Name)}
	}
	return nil
}

// twins finds features that say the same as a feature before them.
func twins(e *evidence) (list []finding) {
	faces := facesOf(e.withRoles(data.AsFeature))
	for i, b := range faces {
		for _, a := range faces[:i] {
			if how := a.same(b); how != "" {
				list = append(list, finding{[]string{a.Name, b.Name},
					[]any{a.Name, b.Name, how, e.drop(b.Name)}})
				break
			}
		}
	}
	return list
}

// keptTwins finds features that say the same as a column that is left out, or as a column of
// groups or of split_by=.
func keptTwins(e *evidence) (list []finding) {
	faces := facesOf(e.withRoles(data.AsFeature))
	for _, a := range facesOf(e.withRoles(data.LeftOut, data.AsGroup, data.AsKey)) {
		if slices.ContainsFunc(faces, func(b *face) bool { return b.Name == a.Name }) {
			continue // keep= keeps it
		}
		for _, b := range faces {
			if a.same(b) != "" && !namesake(a.Name, b.Name) {
				list = append(list, finding{[]string{a.Name, b.Name},
					[]any{a.Name, b.Name, e.drop(b.Name)}})
			}
		}
	}
	return list
}

// namesake reports whether two columns have the same name in the file, so that it is clear which
// one was meant to stay.
func namesake(a, b string) bool {
	return strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// face is a column in the form in which columns are compared.
type face struct {
	*data.Sampled
	keys   []uint64
	codes  []uint16 // of the values, in the order in which they first occur
	kinds  int
	common uint64 // the most frequent key
	others int    // number of rows with another key
}

// facesOf returns the faces of columns, of very many columns only the first. It leaves out columns
// in which nearly all rows have one value: many columns of rare events are equal.
func facesOf(columns []*data.Sampled) (list []*face) {
	const rare, most = 10, 1 << 10
	for _, c := range columns {
		if len(list) == most {
			break
		}
		f := &face{Sampled: c}
		place, count := map[uint64]uint16{}, map[uint64]int{}
		for row := range c.Numbers {
			key := c.Key(row)
			code, ok := place[key]
			if !ok {
				code = uint16(len(place))
				place[key] = code
			}
			f.keys, f.codes = append(f.keys, key), append(f.codes, code)
			if count[key]++; count[key] > count[f.common] {
				f.common = key
			}
		}
		f.kinds, f.others = len(place), len(f.keys)-count[f.common]
		if f.others >= rare {
			list = append(list, f)
		}
	}
	return list
}

// same says how two columns say the same, or returns "" if they do not.
func (a *face) same(b *face) string {
	const share = .001 // of the rows may differ
	most, differ := min(int(share*float64(len(a.keys))), a.others/10), 0
	for row, key := range a.keys {
		if key != b.keys[row] {
			if differ++; differ > most {
				break
			}
		}
	}
	if differ <= most {
		return fmt.Sprintf("are equal in %s of rows", floorPercent(len(a.keys)-differ, len(a.keys)))
	}
	if a.kinds <= len(a.keys)/2 && slices.Equal(a.codes, b.codes) {
		return "say the same in other words"
	}
	return ""
}

// floorPercent is a share that is 100 % only where it is all.
func floorPercent(n, of int) string {
	return fmt.Sprintf("%.4g %%", math.Floor(1e4*float64(n)/float64(of))/100)
}

// leaks finds the columns that predict the label by themselves. A row's score for a class is the
// share of the class among other rows with the same value, or in the same interval of values: the
// rows are in folds, and each fold is scored by the rows of the others. The AUROC is that of all
// rows. A column leaks if its AUROC is suspicious, and if the lower end of its 95 % interval
// is above that of a good but plain predictor.
func leaks(e *evidence) (list []finding) {
	const suspicious, plain = .97, .85
	m := newOneColumn(e)
	if len(m.classes) == 0 {
		return nil
	}
	for _, c := range e.withRoles(data.AsFeature) {
		v := m.auroc(c)
		if v >= suspicious && Wilson(Num(v), m.fewest)[0].Float() >= plain {
			list = append(list, finding{[]string{c.Name}, []any{c.Name, v, e.drop(c.Name)}})
		}
	}
	return list
}

// oneColumn predicts the label from one column.
type oneColumn struct {
	labels  []uint16
	classes []int // the classes whose AUROC is measured; of two only the second
	place   []int // of each class among classes; −1: none
	prior   []float64
	// fewest is the number of rows with, or without, the scarcest of classes. An AUROC is the mean
	// over these rows of numbers from 0 to 1, which vary at most as much as right and wrong answers
	// with the same mean do: the Wilson interval of a share of that many rows holds for it.
	fewest int
}

func newOneColumn(e *evidence) *oneColumn {
	const mostClasses, rows = 20, 20
	m := &oneColumn{labels: e.Labels, fewest: len(e.Labels)}
	count := make([]int, len(e.Classes))
	for _, label := range e.Labels {
		count[label]++
	}
	for c, n := range count {
		if scarce := min(n, len(e.Labels)-n); scarce >= rows && len(m.classes) < mostClasses {
			m.classes = append(m.classes, c)
			m.fewest = min(m.fewest, scarce)
		}
	}
	if len(e.Classes) == 2 && len(m.classes) == 2 {
		m.classes = m.classes[1:]
	}
	for c, n := range count {
		m.place = append(m.place, slices.Index(m.classes, c))
		if m.place[c] >= 0 {
			m.prior = append(m.prior, float64(n)/float64(len(e.Labels)))
		}
	}
	return m
}

// folds is the number of parts of the rows. Each is scored by the others.
const folds = 4

// foldOf returns the fold of a row, by the golden ratio: no order of the file is in step with it.
func foldOf(row int) int {
	const spread = 2654435769
	return int(uint32(row) * spread >> 30)
}

// auroc returns the mean over the classes of the AUROC of each class against the rest.
func (m *oneColumn) auroc(c *data.Sampled) (mean float64) {
	bin, n := m.bins(c)
	rows := len(m.classes) // the place of the number of rows, behind that of each class
	counts := make([][]float64, (folds+1)*n)
	for i := range counts {
		counts[i] = make([]float64, rows+1)
	}
	of := func(fold, bin int) []float64 { return counts[fold*n+bin] } // the last fold is all rows
	for row, label := range m.labels {
		at := of(foldOf(row), bin(row))
		at[rows]++
		if class := m.place[label]; class >= 0 {
			at[class]++
		}
	}
	for i := range n {
		for fold := range folds {
			for k, count := range of(fold, i) {
				of(folds, i)[k] += count
			}
		}
	}
	for class, prior := range m.prior {
		var scored []Scored
		for fold := range folds {
			for i := range n {
				own, all := of(fold, i), of(folds, i)
				others := all[rows] - own[rows]
				share := (all[class] - own[class] + prior) / (others + 1)
				if own[rows] > 0 {
					scored = append(scored, Scored{Score: share, Of: own[class],
						Others: own[rows] - own[class]})
				}
			}
		}
		mean += AUROC(scored).Float() / float64(rows)
	}
	return mean
}

// bins returns a function that gives each row one of n places: by its value or, if there are many
// values, by the interval of its number. Place 0 is for cells that are no numbers among intervals.
func (m *oneColumn) bins(c *data.Sampled) (bin func(row int) int, n int) {
	const most = 32
	place := map[uint64]int{}
	var numbers []float64
	for row := range m.labels {
		if key := c.Key(row); place[key] == 0 {
			place[key] = len(place) + 1
		}
		if v := c.Numbers[row]; v == v {
			numbers = append(numbers, v)
		}
	}
	if len(place) <= most || len(numbers) < len(m.labels)/2 {
		return func(row int) int { return place[c.Key(row)] }, len(place) + 1
	}
	slices.Sort(numbers)
	var edges []float64
	for i := 1; i < most; i++ {
		edges = append(edges, numbers[i*len(numbers)/most])
	}
	return func(row int) int {
		v := c.Numbers[row]
		if v != v {
			return 0
		}
		at, _ := slices.BinarySearch(edges, v)
		return 1 + at
	}, most + 1
}

// spelling finds categories, classes and groups that differ in case or blanks alone, or that are
// one number.
func spelling(_ *evidence, c *data.Sampled) []any {
	known := map[string]string{}
	for _, text := range slices.Sorted(slices.Values(c.Texts)) {
		bare := strings.Join(strings.Fields(strings.ToLower(text)), " ")
		if first, ok := known[bare]; ok && first != text {
			return []any{first, text}
		}
		known[bare] = text
	}
	if c.Forms[0] != "" {
		return []any{c.Forms[0], c.Forms[1]}
	}
	return nil
}

// codes finds columns of few whole numbers with gaps between them, which are read as quantities.
func codes(e *evidence, c *data.Sampled) []any {
	const most, often = 20, 10 // values, and rows of each
	rows := map[float64]int{}
	whole := !slices.ContainsFunc(c.Numbers, func(v float64) bool {
		rows[v]++
		return v != math.Trunc(v) // NaN, too
	})
	if e.array || c.Declared != "" || !whole || len(rows) < 3 || len(rows) > most {
		return nil
	}
	low, high := slices.Min(c.Numbers), slices.Max(c.Numbers)
	if high-low < float64(len(rows)) || slices.Min(slices.Collect(maps.Values(rows))) < often {
		return nil
	}
	return []any{len(rows), low, high, e.categorical(c.Name)}
}

// scales finds arrays whose features vary so little, or so unlike each other, that gradient descent
// learns nothing of them, or of some.
func scales(e *evidence) []finding {
	const small, unlike = .05, 1e4
	if !e.array || e.Mean != nil || len(e.Labels) < leastRows {
		return nil
	}
	low, high := math.Inf(1), 0.0
	for _, c := range e.Columns {
		if span := slices.Max(c.Numbers) - slices.Min(c.Numbers); span > 0 {
			low, high = min(low, span), max(high, span)
		}
	}
	if high == 0 || high >= small && high < unlike*low {
		return nil
	}
	return []finding{{nil, []any{low, high}}}
}

// numbers finds columns that are read as categories because of the way in which their numbers are
// written, or because a few cells are no numbers.
func numbers(e *evidence, c *data.Sampled) []any {
	const few = .1 // of the cells that have a value
	if c.Declared != "" {
		return nil
	}
	count := make([]int, 1+len(c.Texts)) // of each code
	for _, code := range c.Codes {
		count[code]++
	}
	there, odd := len(c.Codes), 0
	var example, remedy string
	for i, text := range c.Texts {
		switch plain, ok := data.PlainNumber(text); {
		case text == "":
			there -= count[i+1]
		case !ok:
			odd += count[i+1]
			example, remedy = text, e.notANumber(c.Name, text)
		case odd == 0:
			example, remedy = text, "write "+plain
		}
	}
	if example != "" && there >= leastRows && float64(odd) <= few*float64(there) {
		return []any{example, remedy}
	}
	return nil
}

// notANumber returns the remedy for a text in a column of numbers: a text with a digit may be a
// code, another one is a word for a missing value.
func (e *evidence) notANumber(column, text string) string {
	if strings.ContainsAny(text, "0123456789") {
		return fmt.Sprintf("write a number, or add %s if the values are codes",
			e.categorical(column))
	}
	const remedy = "leave missing cells empty"
	if na, ok := data.AlsoMissing(e.Encoder.Options, e.Marks, text); ok {
		return remedy + ", or give " + na
	}
	return remedy
}

var date = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|` +
	`\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4}))([T ].*)?$`)

// dates finds categories that are dates.
func dates(e *evidence, c *data.Sampled) []any {
	texts := slices.DeleteFunc(slices.Clone(c.Texts), func(t string) bool { return t == "" })
	other := func(t string) bool { return !date.MatchString(t) }
	if len(texts) < 2 || c.Declared != "" || slices.ContainsFunc(texts, other) {
		return nil
	}
	return []any{len(texts), e.drop(c.Name)}
}

// sharedIDs finds columns of identifiers whose values training and test rows share: the rows of one
// patient are alike, so a network may know the patient and not the illness. Identifiers of few
// values may be codes, as in admission_type_id. They count if the column is no feature and is named
// as people are.
func sharedIDs(e *evidence) (list []finding) {
	const often = 20 // rows for each value, on average
	for _, c := range e.SharedIDs {
		code := c.Values*often < c.Rows && !(c.Person && c.Dropped)
		if c.Shared == 0 || c.Rows < leastRows || code {
			continue
		}
		remedy := "add split_by=" + c.Column
		switch {
		case e.GivenSplits:
			remedy = "take them out of one split"
		case e.SplitBy != "":
			remedy = "split_by=" + e.SplitBy + "," + c.Column
		}
		list = append(list, finding{[]string{c.Column},
			[]any{c.Shared, c.Test, c.Column, remedy}})
	}
	return list
}
