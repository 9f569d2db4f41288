package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/lists"
	"drolab/runner/measure"
)

// group_DRO writes train.csv, val.csv and test.csv, with a row for each pass over a split. Of the
// training split it writes a row for each window of log_every batches, and one for the rest of the
// epoch. log.txt has the settings, and the groups with their sizes.

const accuracyColumn, lossColumn = "avg_acc_group:", "avg_loss_group:"
const countColumn = "processed_data_count_group:"

// isGroupDRO recognises the three tables.
func isGroupDRO(head []byte) bool {
	c := columnsOf(head)
	return slices.Contains(c, "epoch") && slices.Contains(c, "batch") &&
		slices.Contains(c, accuracyColumn+"0")
}

const mostGroups = 1000

// groupDRO reads the tables of a run.
type groupDRO struct {
	l      *Log
	groups int
	steps  int64 // batches of the epochs that were read
	pool   pool
	// sizes are the counts of each group in the training epochs; moved says that they differ, so
	// that samples are drawn and the counts are no sizes.
	sizes  []float64
	epochs int
	moved  bool
}

// pool is the windows of one training epoch, each weighted by the samples that it processed.
type pool struct {
	epoch, batches int64
	n, right, loss []float64 // of each group
	sums           map[string]float64
	all            float64
}

// passTable is a table of group_DRO with the places of its columns.
type passTable struct {
	*table
	epoch, batch      int
	acc, loss, counts []int
	row               []float64 // read, but not taken
	has               []bool
}

func openPass(in *Source, l *Log, name string, dodges bool) (*passTable, error) {
	if !slices.Contains(in.names, name) {
		return nil, nil
	}
	t, err := openTable(in, l, name, dodges)
	if err != nil {
		return nil, err
	}
	p := &passTable{table: t, epoch: slices.Index(t.columns, "epoch"),
		batch: slices.Index(t.columns, "batch")}
	if p.epoch < 0 || p.batch < 0 {
		return nil, fmt.Errorf("%s: expected columns epoch and batch", name)
	}
	for g := 0; g < mostGroups; g++ {
		at := func(prefix string) int { return slices.Index(t.columns, prefix+strconv.Itoa(g)) }
		if at(accuracyColumn) < 0 {
			break
		}
		p.acc = append(p.acc, at(accuracyColumn))
		p.loss = append(p.loss, at(lossColumn))
		p.counts = append(p.counts, at(countColumn))
	}
	return p, nil
}

// upTo returns the next row of an epoch up to the given one, or nil.
func (p *passTable) upTo(epoch int64) (row []float64, err error) {
	if p == nil {
		return nil, nil
	}
	for p.row == nil {
		p.row, p.has, err = p.next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if e := toStep(p.row[p.epoch]); e < 0 || e > math.MaxInt32 ||
			toStep(p.row[p.batch]) < 0 {
			p.l.note("rows of %s without an epoch and a batch are left out", p.f.name)
			p.row = nil
		}
	}
	if int64(p.row[p.epoch]) > epoch {
		return nil, nil
	}
	row, p.row = p.row, nil
	return row, nil
}

// value returns the number of a column in a row; NaN if there is none.
func value(row []float64, at int) float64 {
	if at < 0 || at >= len(row) {
		return math.NaN()
	}
	return row[at]
}

const everyEpoch = math.MaxInt32

// readGroupDRO reads a run of group_DRO. The rows of the three tables are taken epoch by epoch.
// A row of test.csv is written after the other rows of its epoch, so it says that they are there.
func readGroupDRO(in *Source, l *Log) error {
	r := &groupDRO{l: l, pool: pool{epoch: -1}}
	if in.has("log.txt") {
		r.readText(in)
	}
	train, err := openPass(in, l, "train.csv", true)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	val, err := openPass(in, l, "val.csv", slices.Contains(in.names, "test.csv"))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	test, err := openPass(in, l, "test.csv", false)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	pace, beside := test, val
	if pace == nil {
		pace, beside = val, nil
	}
	for _, t := range []*passTable{train, val, test} {
		if t != nil && r.groups == 0 {
			r.groups = len(t.acc)
		}
	}
	if r.groups == 0 {
		return errors.New("expected a column " + accuracyColumn + "0")
	}
	if l.Parts.Groups == nil {
		l.Parts.Groups = lists.Numbered("g", 0, r.groups)
	}
	for {
		row, err := pace.upTo(everyEpoch)
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		epoch := int64(row[pace.epoch])
		if err := r.train(train, epoch); err != nil {
			return err
		}
		if err := r.passes(beside, epoch); err != nil {
			return err
		}
		if err := r.pass(pace, row); err != nil {
			return err
		}
	}
	if err := r.train(train, everyEpoch); err != nil {
		return err
	}
	if err := r.passes(beside, everyEpoch); err != nil {
		return err
	}
	r.count()
	return nil
}

// passes hands on the rows of a table up to an epoch.
func (r *groupDRO) passes(t *passTable, epoch int64) error {
	for {
		row, err := t.upTo(epoch)
		if err != nil || row == nil {
			return err
		}
		if err := r.pass(t, row); err != nil {
			return err
		}
	}
}

// pass hands on the figures of a pass over the validation or test split.
func (r *groupDRO) pass(t *passTable, row []float64) error {
	epoch := int64(row[t.epoch])
	prefix, mean := "", "test_"
	counts := &r.l.Parts.GroupCounts.Test
	if t.f.name == "val.csv" {
		prefix, mean = "val_", "val_"
		counts = &r.l.Parts.GroupCounts.Val
	}
	step := r.steps
	if r.l.PerEpoch > 0 && r.pool.epoch < epoch && r.epochs == 0 { // without train.csv
		step = r.l.PerEpoch * (epoch + 1)
	}
	if step == 0 {
		step = epoch + 1
	}
	if *counts == nil {
		for g := range r.groups {
			*counts = append(*counts, count(value(row, t.counts[g])))
		}
	}
	put := func(name string, group int, x float64) error {
		if math.IsNaN(x) && group >= 0 {
			return nil
		}
		return r.l.point(Point{Step: step, Epoch: float64(epoch + 1), Name: name, Group: group,
			Value: x})
	}
	for g := range min(r.groups, len(t.acc)) {
		if value(row, t.counts[g]) == 0 {
			continue // a mean of nothing
		}
		if err := put(prefix+"group_accuracy", g, value(row, t.acc[g])); err != nil {
			return err
		}
		if err := put(prefix+"group_loss", g, value(row, t.loss[g])); err != nil {
			return err
		}
	}
	for column, name := range map[string]string{"avg_acc": mean + "accuracy",
		"avg_per_sample_loss": mean + "loss"} {
		if at := slices.Index(t.columns, column); at >= 0 {
			if err := put(name, -1, row[at]); err != nil {
				return err
			}
		}
	}
	return r.others(t, row, step, epoch)
}

// count returns a number of samples.
func count(x float64) int {
	if !(x >= 0 && x < math.MaxInt32) {
		return 0
	}
	return int(math.Round(x))
}

// others hands on the columns that are no measure of drolab's, under the name of their split.
func (r *groupDRO) others(t *passTable, row []float64, step, epoch int64) error {
	split := strings.TrimSuffix(t.f.name, ".csv")
	for i, column := range t.columns {
		if i == t.epoch || i == t.batch || strings.Contains(column, ":") ||
			column == "avg_acc" || column == "avg_per_sample_loss" || math.IsNaN(row[i]) {
			continue
		}
		err := r.l.point(Point{Step: step, Epoch: float64(epoch + 1), Name: split + "/" + column,
			Group: -1, Value: row[i]})
		if err != nil {
			return err
		}
	}
	return nil
}

// train pools the windows of training epochs up to the given one.
func (r *groupDRO) train(t *passTable, upTo int64) error {
	for {
		row, err := t.upTo(upTo)
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if epoch := int64(row[t.epoch]); epoch != r.pool.epoch {
			if err := r.pooled(); err != nil {
				return err
			}
			r.pool = pool{epoch: epoch, n: make([]float64, r.groups),
				right: make([]float64, r.groups), loss: make([]float64, r.groups),
				sums: map[string]float64{}}
		}
		r.pool.add(t, row)
	}
	return r.pooled()
}

// add adds a window.
func (p *pool) add(t *passTable, row []float64) {
	p.batches = max(p.batches, int64(row[t.batch])+1)
	all := 0.0
	for g := range min(len(p.n), len(t.acc)) {
		n := value(row, t.counts[g])
		if !(n > 0) {
			continue
		}
		all += n
		p.n[g] += n
		p.right[g] += n * value(row, t.acc[g])
		p.loss[g] += n * value(row, t.loss[g])
	}
	p.all += all
	for i, column := range t.columns {
		if strings.HasPrefix(column, "avg_") && !strings.Contains(column, ":") {
			p.sums[column] += all * row[i]
		}
	}
}

// pooled hands on the means of the epoch that is pooled.
func (r *groupDRO) pooled() error {
	p := r.pool
	if p.n == nil {
		return nil
	}
	r.pool = pool{epoch: p.epoch}
	r.steps += p.batches
	if r.l.PerEpoch == 0 {
		r.l.PerEpoch = p.batches
	}
	r.moved = r.moved || r.epochs > 0 && !slices.Equal(r.sizes, p.n)
	r.sizes, r.epochs = p.n, r.epochs+1
	put := func(name string, x float64) error {
		return r.l.point(Point{Step: r.steps, Epoch: float64(p.epoch + 1), Name: name, Group: -1,
			Value: x})
	}
	for g, n := range p.n {
		if n == 0 {
			continue
		}
		if err := put(fmt.Sprintf("train/acc_group_%d", g), p.right[g]/n); err != nil {
			return err
		}
		if err := put(fmt.Sprintf("train/loss_group_%d", g), p.loss[g]/n); err != nil {
			return err
		}
	}
	columns := make([]string, 0, len(p.sums))
	for column := range p.sums {
		columns = append(columns, column)
	}
	slices.Sort(columns)
	for _, column := range columns {
		name := "train/" + column
		if column == "avg_per_sample_loss" {
			name = "loss"
		}
		if err := put(name, p.sums[column]/p.all); err != nil {
			return err
		}
	}
	return nil
}

// count takes the sizes of the training groups from their counts, if log.txt does not have them.
func (r *groupDRO) count() {
	if r.l.Parts.GroupCounts.Train != nil {
		return
	}
	if r.moved || r.epochs < 2 {
		r.l.note("the sizes of the training groups are not known (no log.txt, and counts that " +
			"do not prove them): no adjusted accuracy")
		return
	}
	for _, n := range r.sizes {
		r.l.Parts.GroupCounts.Train = append(r.l.Parts.GroupCounts.Train, count(n))
	}
	r.l.note("the sizes of the training groups are the counts of train.csv, the same in all epochs")
}

// sizeLine is a line of log.txt with the size of a group.
var sizeLine = regexp.MustCompile(`^\s+(\S.*): n = (\d{1,9})$`)

// readText reads the settings and the sizes of groups at the head of log.txt.
func (r *groupDRO) readText(in *Source) {
	text, err := in.text("log.txt", mostYAML)
	if err != nil {
		r.l.note("log.txt is not read: %v", err)
		return
	}
	var at *[]int
	parts := measure.Parts{}
	var names []string
	for _, one := range bytes.Split(text, []byte("\n")) {
		one := strings.TrimRight(string(one), "\r ")
		switch one {
		case "Training Data...":
			at, names = &parts.GroupCounts.Train, nil
			continue
		case "Validation Data...":
			at, names = &parts.GroupCounts.Val, nil
			continue
		case "Test Data...":
			at, names = &parts.GroupCounts.Test, nil
			continue
		}
		if strings.HasPrefix(one, "Epoch [") {
			break
		}
		if m := sizeLine.FindStringSubmatch(one); m != nil && at != nil && len(*at) < mostGroups {
			n, _ := strconv.Atoi(m[2]) // of at most nine digits
			*at, names = append(*at, n), append(names, clean(m[1], mostValue))
			parts.Groups = names
			continue
		}
		if key, value, ok := strings.Cut(one, ": "); ok && at == nil {
			r.l.setting(strings.ReplaceAll(strings.ToLower(key), " ", "_"), value)
		}
	}
	if len(parts.Groups) > 0 {
		r.l.Parts = parts
		r.groups = len(parts.Groups)
	}
}
