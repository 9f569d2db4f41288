package console

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"drolab/runner/page"
	"drolab/tui/cell"

	"github.com/spf13/cobra"
)

// Result prints the result of a command: with --json as JSON, else as show does.
func (c *Console) Result(result any, show func()) error {
	if c.AsJSON {
		return c.JSON(result)
	}
	show()
	return nil
}

// JSON prints v as JSON, and escapes characters that could steer a terminal.
func (c *Console) JSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	c.SetFolding(false)
	_, err := c.Stdout.Write(cell.EscapeJSON(b.Bytes()))
	return err
}

// JSONFlag adds the flag --json to a command, which prints its result as JSON.
func (c *Console) JSONFlag(of *cobra.Command, result string) {
	of.Flags().BoolVar(&c.AsJSON, "json", false, strings.TrimSpace("print "+result)+" as JSON")
}

// ExplainFlag adds the flag --explain to a command, which defines its figures as well.
func (c *Console) ExplainFlag(of *cobra.Command) {
	of.Flags().BoolVar(&c.Explain, "explain", false, "define the figures as well")
}

// Forms says in which form a command prints its table: see TableFlags.
type Forms struct{ csv, latex, markdown bool }

// TableFlags adds the flags of the forms of a table to a command. about is what is said of its CSV.
func (c *Console) TableFlags(of *cobra.Command, about string) *Forms {
	f, flags := new(Forms), of.Flags()
	c.JSONFlag(of, "the table")
	flags.BoolVar(&f.csv, "csv", false, "print CSV"+about)
	flags.BoolVar(&f.latex, "latex", false, "print the table in LaTeX, with booktabs")
	flags.BoolVar(&f.markdown, "md", false, "print the table in Markdown")
	TakeAlone(of, "json", "csv", "latex", "md")
	return f
}

// Table prints a table in the form that was chosen: its exact figures for programs, the document
// for LaTeX and Markdown, or as show does.
func (c *Console) Table(
	f *Forms, data any, exact *page.Table, document []page.Block, show func(),
) error {
	switch {
	case f.csv:
		return exact.CSV(c.Stdout)
	case f.latex:
		return c.WriteDocument(page.LaTeX(document...))
	case f.markdown:
		return c.WriteDocument(page.Markdown(document...))
	}
	return c.Result(data, show)
}

// WriteDocument writes a document as it is.
func (c *Console) WriteDocument(text string) error {
	_, err := io.WriteString(c.Stdout, text)
	return err
}
