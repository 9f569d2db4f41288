package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	comparepage "drolab/tui/compare"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch"
)

// endedRuns are the kinds of ended runs, by the methods of their rows, with the number of seeds.
func endedRuns() map[string][]endedRow {
	return map[string][]endedRow{
		"methods":              {{of: dro.ERM}, {of: dro.SFK}, {of: dro.PGD}},
		"seeds":                {{of: dro.ERM, seeds: 3}, {of: dro.SFK, seeds: 3}},
		"a fork":               {{of: dro.ERM}, {of: dro.SFK}, {of: dro.SFK, forked: true}},
		"a method that refits": {{of: dro.ERM, seeds: 2}, {of: "dfr", seeds: 2}},
	}
}

// endedRow is a row of runs that differ in the seed.
type endedRow struct {
	of     dro.Algorithm
	seeds  int  // 0 stands for 1
	forked bool // from the run before, with another rate, at the end of its second epoch
}

// recordRows records the runs of rows, with figures that swing.
func recordRows(t *testing.T, dir string, rows []endedRow, seed uint64) {
	t.Helper()
	store, err := record.Open(dir)
	check(t, err)
	random := rand.New(rand.NewPCG(seed, 1))
	parent := ""
	for _, row := range rows {
		for s := range max(1, row.seeds) {
			m := tuitest.Archived(row.of, uint64(s+1), "shapes", tuitest.Epoch0())
			m.ID = fmt.Sprintf("shapes-%s-s%d", row.of, s+1)
			from := int64(0)
			if row.forked {
				m.ID, m.Spec.LR, from = "shapes-fork", 2*m.Spec.LR, 2*tuitest.Steps
				m.Parent = fmt.Sprintf("%s@%d", parent, from)
			}
			parent = m.ID
			r, err := store.Create(m, nil)
			check(t, err)
			var eval *runner.EvalEvent
			var last *runner.StepEvent
			for _, e := range tuitest.Training(row.of, s, tuitest.Steps, tuitest.Epochs) {
				switch e := e.(type) {
				case *runner.EvalEvent:
					eval = swing(random, e)
				case *runner.StepEvent:
					last = e
				}
				if e.Header().Step > from || e.Header().Step == 0 {
					check(t, r.Append(e))
				}
			}
			check(t, r.Finish(runner.Summarize(m, runner.Done, m.Steps, eval, last)))
			check(t, r.Close())
		}
	}
}

// swing gives an evaluation accuracies at random.
func swing(random *rand.Rand, e *runner.EvalEvent) *runner.EvalEvent {
	var classes []measure.Number
	for range 10 {
		classes = append(classes, measure.Num(.1+.6*random.Float64()))
	}
	e.ByGroup.Set("class_accuracy", classes)
	e.Set("worst_class_accuracy", measure.Least(classes))
	e.Set("test_accuracy", measure.Num(random.Float64()))
	return e
}

// rowFigures are the worst-class accuracies of a row in per cent, as a place has them: at the last
// step and as the mean of five evaluations; "" where a place has none.
type rowFigures struct{ last, mean string }

// figurePlace returns the figures of rows by the ID of the first run.
type figurePlace func(t *testing.T, dir string) map[string]rowFigures

// TestOneFigure: the figures of ended runs are the same in every place that has them: on pages
// Watch and Compare, in show and compare, as text and as JSON. The figures at the last step are
// those of show --json, and the means of five evaluations its window_average.
func TestOneFigure(t *testing.T) {
	places := map[string]figurePlace{
		"page Watch":                 ofWatch,
		"the sentence of page Watch": ofSentence,
		"page Compare":               ofPageCompare,
		"compare --json":             ofCompareJSON,
		"compare":                    ofCompare,
		"show":                       ofShow,
	}
	for kind, rows := range endedRuns() {
		if testing.Short() && kind != "a fork" {
			continue
		}
		dir := t.TempDir()
		recordRows(t, dir, rows, uint64(len(kind)))
		want := ofShowJSON(t, dir)
		for place, figures := range places {
			got, n := figures(t, dir), 0
			for id, f := range got {
				if f.last != "" && f.last != want[id].last {
					t.Errorf("%s, %s: %s is at %s in the end, want %s", kind, place, id, f.last,
						want[id].last)
				}
				if f.mean != "" && f.mean != want[id].mean {
					t.Errorf("%s, %s: %s has the mean %s, want %s", kind, place, id, f.mean,
						want[id].mean)
				}
				if f != (rowFigures{}) {
					n++
				}
			}
			least := len(rows)
			switch {
			case place == "the sentence of page Watch": // it names two
				least = 2
			case place == "show" && rows[0].seeds > 1:
				least = 0
			}
			if n < least {
				t.Errorf("%s, %s: figures of %d rows, want %d: %v", kind, place, n, least, got)
			}
		}
	}
}

// percentOf writes a share as tables do.
func percentOf(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

// tableOf returns the table that compare gives as JSON, and the column of the worst class.
func tableOf(t *testing.T, dir string) (table compare.Table, worst int) {
	t.Helper()
	check(t, json.Unmarshal([]byte(command(t, dir, "compare", "shapes", "--json")), &table))
	for i, c := range table.Columns {
		if c.Name == "worst_class_accuracy" {
			worst = i
		}
	}
	return table, worst
}

func ofShowJSON(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	figures := map[string]rowFigures{}
	table, _ := tableOf(t, dir)
	for _, row := range table.Rows {
		var last, mean float64
		for _, id := range row.Runs {
			var list struct {
				Runs []struct {
					Worst   float64 `json:"worst_class_accuracy"`
					Average struct {
						Worst float64 `json:"worst_class_accuracy"`
					} `json:"window_average"`
				}
			}
			check(t, json.Unmarshal([]byte(command(t, dir, "show", id, "--json")), &list))
			last += list.Runs[0].Worst / float64(len(row.Runs))
			mean += list.Runs[0].Average.Worst / float64(len(row.Runs))
		}
		figures[row.Runs[0]] = rowFigures{percentOf(last), percentOf(mean)}
	}
	return figures
}

func ofCompareJSON(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	figures := map[string]rowFigures{}
	table, worst := tableOf(t, dir)
	for _, row := range table.Rows {
		figures[row.Runs[0]] = rowFigures{last: percentOf(row.Cells[worst].Mean.Float())}
	}
	return figures
}

// inTable returns the means in the line of the worst class of a table as text, whose columns are
// those of compare --json.
func inTable(t *testing.T, dir, text string) map[string]rowFigures {
	t.Helper()
	figures := map[string]rowFigures{}
	_, line, _ := strings.Cut(text, "worst class ")
	line, _, _ = strings.Cut(line, "\n")
	line, _, _ = strings.Cut(line, "││") // the notes are beside it
	means := regexp.MustCompile(` (\d+\.\d)`).FindAllStringSubmatch(
		regexp.MustCompile(`± ?\d+\.\d| [+-]\d+\.\d`).ReplaceAllString(line, ""), -1)
	table, _ := tableOf(t, dir)
	for i, row := range table.Rows {
		if i < len(means) {
			figures[row.Runs[0]] = rowFigures{last: means[i][1]}
		}
	}
	return figures
}

func ofCompare(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	return inTable(t, dir, command(t, dir, "compare", "shapes"))
}

func ofPageCompare(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	l := tuitest.NewLab(t, lab.Folder(dir), lab.Config{RunsDir: dir}, 180, 50)
	driver := tuitest.NewDriver(l, comparepage.New(l))
	table, _ := tableOf(t, dir)
	runs, _ := record.List(dir)
	driver.Send(lab.Compare{Runs: runs})
	screen := tuitest.Text(driver.Shot())
	if !strings.Contains(screen, fmt.Sprintf("last epoch, %d", tuitest.Epochs)) {
		t.Errorf("page Compare does not say of which epoch its %d rows are:\n%s", len(table.Rows),
			screen)
	}
	_, below, _ := strings.Cut(screen, "│ worst class ")
	return inTable(t, dir, "worst class "+below)
}

func ofShow(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	figures := map[string]rowFigures{}
	table, _ := tableOf(t, dir)
	mean := regexp.MustCompile(`average +of the [^:]*: mean [0-9.]+ %,\s+worst\s+class\s+([0-9.]+)`)
	for _, row := range table.Rows {
		if len(row.Runs) > 1 { // show has no mean over seeds
			continue
		}
		text := command(t, dir, "show", row.Runs[0])
		if of := mean.FindStringSubmatch(text); of != nil {
			figures[row.Runs[0]] = rowFigures{mean: of[1]}
		}
	}
	return figures
}

// onWatch returns page Watch of all runs of a folder, at their end.
func onWatch(t *testing.T, dir string) (*watch.Page, string) {
	t.Helper()
	l := tuitest.NewLab(t, lab.Folder(dir), lab.Config{RunsDir: dir}, 200, 60)
	page := watch.New(l)
	driver := tuitest.NewDriver(l, page)
	var ids []string
	runs, _ := record.List(dir)
	for _, r := range runs {
		ids = append(ids, r.Meta.ID)
	}
	driver.Send(lab.Watch{IDs: ids})
	driver.Wait(5*time.Second, time.Second)
	return page, tuitest.Text(driver.Shot())
}

func ofWatch(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	figures := map[string]rowFigures{}
	page, screen := onWatch(t, dir)
	row := regexp.MustCompile(`[▁▂▃▄▅▆▇█] +([0-9.]+)★? +(?:[+-]?[0-9.]+ +)??([0-9.]+) \((\d+)\)`)
	lines := strings.Split(screen, "\n")
	for k, runs := range page.Runs.Rows() {
		of := row.FindStringSubmatch(lines[1+k])
		if of == nil || of[3] != fmt.Sprint(tuitest.Epochs) {
			t.Fatalf("row %d has no figures of epoch %d:\n%s", k, tuitest.Epochs, screen)
		}
		figures[page.Runs.Tracks[runs[0]].ID] = rowFigures{of[2], of[1]}
	}
	return figures
}

func ofSentence(t *testing.T, dir string) map[string]rowFigures {
	t.Helper()
	figures := map[string]rowFigures{}
	page, _ := onWatch(t, dir)
	want := ofShowJSON(t, dir)
	for _, runs := range page.Runs.Rows() {
		track := page.Runs.Tracks[runs[0]]
		var mean float64
		_, err := fmt.Sscan(want[track.ID].mean, &mean)
		check(t, err)
		whole := fmt.Sprintf("%.0f", mean)
		words := regexp.MustCompile(`\b` + regexp.QuoteMeta(track.Short) + `\b`)
		if !words.MatchString(page.Story()) {
			continue
		}
		for _, said := range regexp.MustCompile(`[0-9]+(\.[0-9])?`).FindAllString(page.Story(), -1) {
			if said == want[track.ID].mean || said == whole {
				figures[track.ID] = want[track.ID]
			}
		}
	}
	return figures
}
