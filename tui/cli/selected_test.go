package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner/compare"
	"drolab/runner/record"
	comparepage "drolab/tui/compare"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// command runs a command on a folder of runs, and returns what it prints.
func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := Process(context.Background(), append(args, "--runs", dir), strings.NewReader(""), &out,
		&errs)
	if code != 0 {
		t.Fatalf("drolab %s: exit %d\n%s%s", strings.Join(args, " "), code, &out, &errs)
	}
	return out.String()
}

// meanWorst returns the mean accuracy of the worst group over the runs of a method, in per cent, at
// their selected steps or at the last ones.
func meanWorst(t *testing.T, runs []*record.Run, a dro.Algorithm, selected bool) string {
	t.Helper()
	sum, n := 0.0, 0.0
	for _, r := range runs {
		if r.Meta.Spec.Algorithm() != a {
			continue
		}
		of := r.Summary().Named("worst_group_accuracy")
		if selected {
			of = r.Summary().Selected.Named("worst_group_accuracy")
		}
		sum, n = sum+100*of.Float(), n+1
	}
	return fmt.Sprintf("%.1f", sum/n)
}

// TestOneStepInEveryTable: the table after drolab run, those of compare and report, and page
// Compare choose the step of their figures by one rule. PGD, among methods that refit after
// training, stands at the step that its runs have selected, and the refitted methods at the last
// one. Every table says so. At the last steps no table speaks of a selection.
func TestOneStepInEveryTable(t *testing.T) {
	testsize.NotShort(t, "trains six runs, as tests of runner/queue do")
	for _, rule := range testsize.Pick(
		[]string{"val_worst"}, []string{"val_worst", "last"}, []string{"val_worst", "last"}) {
		dir := t.TempDir()
		ran := command(t, dir, "run", "groups", "--algo", "pgd,dfr,afr", "--seeds", "2",
			"--set", "epochs=3", "--set", "samples=1000", "--set", "val_fraction=.4",
			"--set", "min_group=2", "--set", "lr=.3", "--set", "lr_drop_epoch=1",
			"--set", "select="+rule, "--inline")
		runs, problems := record.List(dir)
		if len(problems) > 0 || len(runs) != 6 {
			t.Fatalf("select %s: %d runs: %v", rule, len(runs), problems)
		}
		selected, mark := rule != "last", ""
		if selected {
			mark = " (last)"
			if meanWorst(t, runs, "pgd", true) == meanWorst(t, runs, "pgd", false) {
				t.Fatal("PGD selects its last figures, so that nothing is shown")
			}
		}
		want := map[string]string{
			"pgd":            meanWorst(t, runs, "pgd", selected),
			"dfr (g)" + mark: meanWorst(t, runs, "dfr", false),
			"afr (l)" + mark: meanWorst(t, runs, "afr", false),
		}
		compared := command(t, dir, "compare", "groups")
		reported := command(t, dir, "report", "groups", "--md")
		checkHead(t, rule+": run", ran, selected)
		checkHead(t, rule+": compare", compared, selected)
		checkHead(t, rule+": report", reported, selected)
		for title, mean := range want {
			row := regexp.MustCompile(`(?m)^. ` + regexp.QuoteMeta(title) + ` +` + mean + ` %`)
			if !row.MatchString(ran) {
				t.Errorf("%s: run: %s has not %s %%:\n%s", rule, title, mean, ran)
			}
		}
		checkRow(t, rule+": compare", compared, "worst group", want)
		checkRow(t, rule+": report", reported, "| worst group", want)
		checkJSON(t, dir, want)
		checkPage(t, dir, "", want)
		if !selected {
			continue
		}
		want = map[string]string{
			"pgd":     meanWorst(t, runs, "pgd", false),
			"dfr (g)": meanWorst(t, runs, "dfr", false),
			"afr (l)": meanWorst(t, runs, "afr", false),
		}
		atLast := command(t, dir, "compare", "groups", "--at", "last")
		checkHead(t, "compare --at last", atLast, false)
		checkRow(t, "compare --at last", atLast, "worst group", want)
		checkPage(t, dir, "s", want)
	}
}

// checkHead checks whether a text says that its figures are of selected steps, and which rows are
// not.
func checkHead(t *testing.T, place, text string, selected bool) {
	t.Helper()
	const head = "Figures are of the step that each run selected by val_worst on the validation " +
		"split. Methods that refit after training, marked (last), stand at their last step."
	flat := strings.ReplaceAll(strings.Join(strings.Fields(text), " "), `\_`, "_")
	if said := strings.Contains(flat, head); said != selected {
		t.Errorf("%s: it says %q: %v, want %v:\n%s", place, head, said, selected, text)
	}
	if marked := strings.Contains(flat, "(last)"); marked != selected {
		t.Errorf("%s: it marks rows: %v, want %v:\n%s", place, marked, selected, text)
	}
}

// checkRow finds, in the first table of a text that has one, the row of a measure, and compares its
// figures with those wanted, by the title of their column.
func checkRow(t *testing.T, place, text, row string, want map[string]string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, row) })
	if at < 0 {
		t.Fatalf("%s: no row %q in\n%s", place, row, text)
	}
	head := slices.IndexFunc(lines, func(l string) bool {
		return strings.Contains(l, "pgd") && strings.Contains(l, "afr (l)")
	})
	type titled struct {
		title string
		place int
	}
	var order []titled
	for title := range want {
		order = append(order, titled{title, strings.Index(lines[head], title)})
	}
	slices.SortFunc(order, func(a, b titled) int { return a.place - b.place })
	means := regexp.MustCompile(`(\d+\.\d) ±`).FindAllStringSubmatch(lines[at], -1)
	if len(means) != len(order) || order[0].place < 0 {
		t.Fatalf("%s: %q below %q, want the columns %v", place, lines[at], lines[head], want)
	}
	for i, o := range order {
		if got := means[i][1]; got != want[o.title] {
			t.Errorf("%s: %s has %s, want %s", place, o.title, got, want[o.title])
		}
	}
}

// checkJSON compares the tables of compare and report as JSON.
func checkJSON(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	var compared compare.Table
	var reported struct {
		Problems []struct{ Table *compare.Table }
	}
	check(t, json.Unmarshal([]byte(command(t, dir, "compare", "groups", "--json")), &compared))
	check(t, json.Unmarshal([]byte(command(t, dir, "report", "groups", "--json")), &reported))
	for place, table := range map[string]*compare.Table{"compare": &compared,
		"report": reported.Problems[0].Table} {
		c := slices.IndexFunc(table.Columns, func(c compare.Column) bool {
			return c.Name == "worst_group_accuracy"
		})
		for _, r := range table.Rows {
			got := fmt.Sprintf("%.1f", 100*r.Cells[c].Mean.Float())
			if got != want[r.Title()] {
				t.Errorf("%s --json: %s has %s, want %s", place, r.Title(), got, want[r.Title()])
			}
		}
	}
}

// checkPage compares the table of page Compare after a key.
func checkPage(t *testing.T, dir, key string, want map[string]string) {
	t.Helper()
	l := tuitest.NewLab(t, lab.Folder(dir), lab.Config{RunsDir: dir}, 150, 50)
	driver := tuitest.NewDriver(l, comparepage.New(l))
	if key != "" {
		driver.Press(key)
	}
	screen := tuitest.Text(driver.Shot())
	_, row, _ := strings.Cut(screen, "│ worst group ")
	row, _, _ = strings.Cut(row, "││")
	refits := false
	for title, mean := range want {
		refits = refits || strings.Contains(title, "(last)")
		if !strings.Contains(screen, " "+title+" ") {
			t.Errorf("page Compare: no column %s:\n%s", title, screen)
		}
		if !strings.Contains(row, " "+mean+" ") {
			t.Errorf("page Compare: %s has not %s: %s", title, mean, row)
		}
	}
	said := strings.Contains(screen, "selected by val_worst · (last) at the last step")
	if said != refits {
		t.Errorf("page Compare: its head tells of the step: %v, want %v:\n%s", said, refits,
			screen)
	}
}
