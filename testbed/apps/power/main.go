// Stands inside a node where systemctl, reboot, poweroff, halt and shutdown would be, and acts on that node alone.
// The machine itself runs no node-init, so even a call that strays there changes nothing.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Read by node-init when it has ended everything: leave for good instead of coming back.
const powerOffMark = "/run/evenkeel/power-off"

func main() {
	name, arguments := filepath.Base(os.Args[0]), os.Args[1:]
	if command, err := os.ReadFile("/proc/1/cmdline"); err != nil || !bytes.Contains(command, []byte("node-init.sh")) {
		fail("not inside a node of the test bed")
	}
	off, known := goesOff(name, arguments)
	if !known {
		fail(fmt.Sprintf("%s %s: the test bed's nodes know reboot and poweroff only", name, strings.Join(arguments, " ")))
	}
	if forced(arguments) {
		act(off)
		return
	}
	if off {
		if err := os.WriteFile(powerOffMark, nil, 0o644); err != nil {
			fail(err.Error())
		}
	}
	if err := syscall.Kill(1, syscall.SIGTERM); err != nil {
		fail(err.Error())
	}
}

// goesOff says whether the call means power-off (true) or reboot (false), and whether it means either.
func goesOff(name string, arguments []string) (off, known bool) {
	verb := name
	if name == "systemctl" {
		verb = ""
		for _, argument := range arguments {
			if !strings.HasPrefix(argument, "-") {
				verb = argument
				break
			}
		}
	}
	switch verb {
	case "reboot":
		return false, true
	case "poweroff", "halt":
		return true, true
	case "shutdown":
		return !slices.Contains(arguments, "-r") && !slices.Contains(arguments, "--reboot"), true
	}
	return false, false
}

func forced(arguments []string) bool {
	return slices.ContainsFunc(arguments, func(argument string) bool {
		return argument == "-f" || argument == "-ff" || argument == "--force"
	})
}

// act asks the kernel, which confines the call to the pid namespace of the caller: it ends the node's first process.
func act(off bool) {
	command := syscall.LINUX_REBOOT_CMD_RESTART
	if off {
		command = syscall.LINUX_REBOOT_CMD_POWER_OFF
	}
	if err := syscall.Reboot(command); err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
}
