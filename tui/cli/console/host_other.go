//go:build !darwin

package console

import (
	"bufio"
	"os"
	"strings"
)

// systemCPU reads Linux's list of processors, which other systems lack.
func systemCPU() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok &&
			strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
