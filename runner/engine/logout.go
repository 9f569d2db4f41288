package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LogoutAdvice says what to do where systemd would end the engine at logout:
// in a login's own group of processes, with KillUserProcesses=yes. Elsewhere,
// and where it cannot be found out, it is empty.
func LogoutAdvice() string {
	group, err := os.ReadFile("/proc/self/cgroup")
	inLogin := err == nil && strings.Contains(string(group), "/session-")
	if !inLogin || !killsAtLogout(logindFiles()) {
		return ""
	}
	return "this system ends all your processes at logout (KillUserProcesses=yes): " +
		"start the engine with\n" +
		"  loginctl enable-linger && systemd-run --user --scope drolab engine"
}

// logindFiles lists systemd-logind's settings, the ones that count most last.
func logindFiles() []string {
	var list []string
	for _, base := range []string{"/usr/lib/systemd", "/run/systemd", "/etc/systemd"} {
		list = append(list, filepath.Join(base, "logind.conf"))
		// No error can come: the pattern is well formed.
		more, _ := filepath.Glob(filepath.Join(base, "logind.conf.d", "*.conf"))
		list = append(list, more...)
	}
	return list
}

// killsAtLogout reads KillUserProcesses; what is not set is no, as
// distributions build it.
func killsAtLogout(files []string) (kills bool) {
	for _, path := range files {
		text, _ := os.ReadFile(path) // what cannot be read says nothing
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, "=")
			if strings.TrimSpace(key) == "KillUserProcesses" {
				value = strings.ToLower(strings.TrimSpace(value))
				kills = slices.Contains([]string{"yes", "true", "on", "1"}, value)
			}
		}
	}
	return kills
}
