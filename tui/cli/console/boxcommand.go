package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner/box"
	"drolab/runner/disk"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// boxCommand returns the command that lists the boxes.
func boxCommand(con *Console) *cobra.Command {
	c := &cobra.Command{
		Use: "box", Short: "List the boxes: other machines, reached over SSH",
		Long: `List the boxes of --box (or DROLAB_BOXES), each with its connection, and those whose runs were
read before. drolab box install puts this program on a box.`,
		Example: "drolab box --box gpu1,gpu2\ndrolab box install gpu1",
		Args:    NoCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return listBoxes(c.Context(), con)
		},
	}
	con.BoxFlag(c)
	con.JSONFlag(c, "the boxes")
	c.AddCommand(installCommand(con), forgetCommand(con))
	return c
}

// boxState is what box --json prints of a box.
type boxState struct {
	Box     string `json:"box"`
	Linked  bool   `json:"linked"`
	Problem string `json:"problem,omitempty"` // why it is not linked, or its mirror not written

	Version string   `json:"version,omitempty"`
	System  string   `json:"system,omitempty"`
	Cores   int      `json:"cores,omitempty"`
	GPUs    []string `json:"gpus,omitempty"`
	Runs    int      `json:"runs"`
	Live    int      `json:"live"`
	Mirror  int64    `json:"mirror_bytes"`
	Heard   string   `json:"heard,omitempty"` // the time
	heard   time.Time
}

// listBoxes prints the boxes of --box, and those that have a mirror.
func listBoxes(ctx context.Context, con *Console) error {
	if err := con.awaitBoxes(ctx); err != nil {
		return err
	}
	list, now := []*boxState{}, time.Now()
	for _, b := range con.boxes.all {
		s := b.Link.State()
		of := con.mirrorState(b.Name, s)
		of.Linked = s.Answers(now)
		of.Problem = elsewhereText(s, now)
		if !s.Elsewhere {
			of.Problem = cell.OneLine(cmp.Or(s.Word, s.Unwritable))
		}
		if s.Hello != nil {
			of.Version, of.System = s.Hello.Version, s.Hello.System
			of.Cores = s.Hello.Cores
		}
		for _, g := range s.GPUs {
			of.GPUs = append(of.GPUs, cell.OneLine(g.Name))
		}
		list = append(list, of)
	}
	for _, name := range con.mirrored() {
		if !slices.ContainsFunc(list, func(of *boxState) bool { return of.Box == name }) {
			of := con.mirrorState(name, box.State{Known: record.MirrorHeard(con.MirrorOf(name))})
			of.Problem = "not asked: give --box " + name
			list = append(list, of)
		}
	}
	return con.Result(map[string][]*boxState{"boxes": list}, func() { printBoxes(con, list) })
}

// mirrorState returns what the mirror of a box says of it, and of how many runs it is known now
// that they go on.
func (c *Console) mirrorState(name string, s box.State) *boxState {
	dir := c.MirrorOf(name)
	of := &boxState{Box: name, heard: record.MirrorHeard(dir)}
	if !of.heard.IsZero() {
		of.Heard = of.heard.UTC().Format(time.RFC3339)
	}
	runs, _ := c.CatalogueOf(dir).List() // awaitBoxes has noted what is wrong
	of.Runs = len(runs)
	for _, r := range runs {
		if !r.Status().Ended() && !s.Silent(time.Now()) {
			of.Live++
		}
	}
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			of.Mirror += info.Size()
		}
		return nil
	})
	return of
}

func printBoxes(con *Console, list []*boxState) {
	if len(list) == 0 {
		con.PrintLine("no box is known: drolab box --box NAME asks the machine that ssh " +
			"NAME reaches")
		return
	}
	t := page.New("box", "connection", "runs", "live", "heard", "mirror", "cores",
		"drolab").Words(1, 4, 7)
	for _, of := range list {
		link, heard, cores := "linked", "never", ""
		if of.Problem != "" {
			link = of.Problem
		}
		if !of.heard.IsZero() {
			heard = kit.Duration(time.Since(of.heard).Truncate(time.Second)) + " ago"
		}
		if of.Cores > 0 {
			cores = fmt.Sprint(of.Cores)
		}
		t.Add(of.Box, link, fmt.Sprint(of.Runs), fmt.Sprint(of.Live), heard,
			megabytes(of.Mirror), cores, of.Version)
	}
	con.Blocks(t)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// forgetCommand returns the command that removes a mirror.
func forgetCommand(con *Console) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "forget NAME", Short: "Remove what this machine has read of a box",
		Long: `Remove the mirror of a box: what this machine has read of its runs. The box itself keeps all its
runs; the next --box reads them again. The command asks first, unless --yes is given. It refuses
while a drolab of this machine reads the box.`,
		Example: "drolab box forget gpu1",
		Args:    One("a box", "drolab box forget gpu1"),
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string,
			cobra.ShellCompDirective) {
			return con.completeBoxes(c, args, begun)
		},
		RunE: func(_ *cobra.Command, args []string) error { return forget(con, args[0], yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	ReadsStdin(c)
	return c
}

func forget(con *Console, name string, yes bool) error {
	if err := box.CheckName(name); err != nil {
		return err
	}
	dir := con.MirrorOf(name)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("box %s has no mirror: drolab box lists those that have one", name)
	}
	if !yes {
		of := con.mirrorState(name, box.State{})
		question := fmt.Sprintf("Remove the mirror of box %s (%s, %s)?", name,
			kit.Plural(of.Runs, "run"), megabytes(of.Mirror))
		if err := con.Confirm(question, "removed"); err != nil {
			return err
		}
	}
	err := record.RemoveMirror(dir)
	if errors.Is(err, disk.ErrHeld) {
		return fmt.Errorf("box %s: another drolab of this machine reads it now: end that first",
			name)
	}
	if err == nil {
		con.PrintLine("the mirror of box %s is removed", name)
	}
	return err
}

// dropEmptyMirrors removes the mirrors of boxes that were named now and have never answered, such
// as that of a mistyped name.
func (c *Console) dropEmptyMirrors() {
	for _, b := range c.boxes.all {
		s := b.Link.State()
		if s.Linked || s.Elsewhere || s.Hello != nil || s.Runs > 0 {
			continue
		}
		c.boxes.end[b.Name]()
		_ = record.RemoveMirror(b.Dir) // it is empty: nothing is lost if it stays
	}
}

// BoxNames returns the names of --box or DROLAB_BOXES, each once.
func (c *Console) BoxNames() (names []string, err error) {
	for name := range strings.SplitSeq(c.boxes.names, ",") {
		name = strings.TrimSpace(name)
		if name == "" || slices.Contains(names, name) {
			continue
		}
		if err := box.CheckName(name); err != nil {
			return nil, fmt.Errorf("--box: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}
