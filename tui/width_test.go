package tui

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoStructIsWide: no struct of the interface has more than twenty fields, since a wider one has
// several owners. An embedded struct counts as one field.
func TestNoStructIsWide(t *testing.T) {
	const most = 20
	format := map[string]bool{"planJSON": true} // as wide as what it writes
	widest, name := 0, ""
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || format[spec.Name.Name] {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				if n := fields(s); n > widest {
					widest, name = n, fmt.Sprintf("%s of %s", spec.Name.Name, path)
				}
				if n := fields(s); n > most {
					t.Errorf("%s: %s has %d fields, want at most %d", path, spec.Name.Name, n, most)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the widest has %d fields: %s", widest, name)
}

func fields(s *ast.StructType) (n int) {
	for _, f := range s.Fields.List {
		n += max(1, len(f.Names))
	}
	return n
}
