module evenkeel.dev/testbed/apps

go 1.26
