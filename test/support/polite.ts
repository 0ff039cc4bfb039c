import { setPriority } from 'node:os'

/** Loaded before a test file: whatever it runs gets what processor time nobody else wants (sched(7), nice 19). */
setPriority(19)
