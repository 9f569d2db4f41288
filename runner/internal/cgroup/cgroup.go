// Package cgroup says what the control groups of this process let it use of the memory and the
// processors, in versions 1 and 2. A group is limited by the groups above it, too. Systems without
// control groups have no such files, and set no limits.
package cgroup

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tree is where a system has its control groups, and the file that says to which a process belongs.
type Tree struct{ Root, Self string }

// System is the tree of this process.
var System = Tree{"/sys/fs/cgroup", "/proc/self/cgroup"}

// Memory is what a group uses of its memory, and the most that it may use, in bytes. Pages of files
// that nobody used lately do not count as used, since the system drops them when room is needed.
type Memory struct{ Used, Most float64 }

// Left returns the number of bytes that the group leaves.
func (m Memory) Left() float64 { return m.Most - m.Used }

// Quota is the number of processors that a group may use at once, which need not be whole, and the
// seconds of processor time that it has used.
type Quota struct{ Cores, Seconds float64 }

// Memory returns the memory of the group that leaves least; false if none has a limit.
func (t Tree) Memory() (tightest Memory, limited bool) {
	take := func(dir, most, now, files string) {
		limit, ok := number(filepath.Join(dir, most))
		used, ok2 := number(filepath.Join(dir, now))
		if !ok || !ok2 || limit > 1<<60 { // version 1 writes a very large limit for none
			return
		}
		idle, _ := Field(filepath.Join(dir, "memory.stat"), files)
		m := Memory{max(0, used-idle), limit}
		if !limited || m.Left() < tightest.Left() {
			tightest, limited = m, true
		}
	}
	for _, dir := range t.groups("") {
		take(dir, "memory.max", "memory.current", "inactive_file")
	}
	for _, dir := range t.groups("memory") {
		take(dir, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
	}
	return tightest, limited
}

// Quota returns the quota of the group that may use the fewest processors; false if none has one.
func (t Tree) Quota() (tightest Quota, limited bool) {
	take := func(cores, seconds float64) {
		if cores > 0 && (!limited || cores < tightest.Cores) {
			tightest, limited = Quota{cores, seconds}, true
		}
	}
	for _, dir := range t.groups("") {
		text, _ := os.ReadFile(filepath.Join(dir, "cpu.max")) // "max 100000" without a quota
		words := strings.Fields(string(text))
		if len(words) == 2 {
			microseconds, _ := Field(filepath.Join(dir, "cpu.stat"), "usage_usec")
			take(ratio(words[0], words[1]), microseconds/1e6)
		}
	}
	accounts := t.groups("cpuacct")
	for i, dir := range t.groups("cpu") { // -1 without a quota
		quota, _ := os.ReadFile(filepath.Join(dir, "cpu.cfs_quota_us"))
		period, _ := os.ReadFile(filepath.Join(dir, "cpu.cfs_period_us"))
		nanoseconds := 0.0
		if i < len(accounts) {
			nanoseconds, _ = number(filepath.Join(accounts[i], "cpuacct.usage"))
		}
		take(ratio(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period))),
			nanoseconds/1e9)
	}
	return tightest, limited
}

// ratio returns the quotient of two numbers; 0 unless both are above 0.
func ratio(above, below string) float64 {
	a, err := strconv.ParseFloat(above, 64)
	b, err2 := strconv.ParseFloat(below, 64)
	if err != nil || err2 != nil || !(a > 0 && b > 0) || math.IsInf(a, 1) {
		return 0
	}
	return a / b
}

// groups returns the folders of the groups of this process for a controller of version 1, or those
// of version 2 for "": its own group first, then those above it. In a container the path of a group
// may be one of the host, which is not there; then the groups above it count, up to the root.
func (t Tree) groups(controller string) (dirs []string) {
	text, _ := os.ReadFile(t.Self)
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		if !slices.Contains(strings.Split(controllers, ","), controller) {
			continue
		}
		root := filepath.Join(t.Root, controller)
		for dir := filepath.Join(root, filepath.Join("/", path)); ; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
			if dir == root {
				return dirs
			}
		}
	}
	return nil
}

func number(path string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return n, err == nil
}

// Field returns the number that follows name in a file with such lines, as /proc/meminfo.
func Field(path, name string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			n, err := strconv.ParseFloat(words[1], 64)
			return n, err == nil
		}
	}
	return 0, false
}
