/** A difference that is known. Its line stands in the page about the simulator, with the reason and what it leaves untested. */
interface Accepted {
  readonly line: string
  /** An answer without it; absent: what leads to it is not drawn. */
  readonly without?: (answer: string) => string
}

export const ACCEPTED: readonly Accepted[] = [
  {
    line: 'The list of commands behind `Unknown command` has only those that are known here.',
    without: (answer) => answer.replace(/^ {2}.*\n/gm, ''),
  },
  {
    line: '`show stat` counts no bytes, rates and durations, and has no rows of frontends and backends as a whole.',
    without: (answer) =>
      answer.replace(/^[^#,\n]+,(?:FRONTEND|BACKEND),.*\n/gm, '').replace(/^([^#,\n]+,[^,\n]+),.*$/gm, '$1'),
  },
  {
    line: '`show servers conn` does not estimate what will be needed, and tells of one thread.',
    without: (answer) => answer.replace(/idle_per_thr\[\d+\]/, '').replace(/^(\S+\/\S+ \d+\/\d+) .*$/gm, '$1'),
  },
  {
    line: '`lastchg`, `downtime` and `chkdown` are as the source has them, and are not compared: the two worlds have clocks of their own.',
    without: (answer) => answer.replace(/^(\d+ \S+ \d+ \S+) .*$/gm, '$1'),
  },
  {
    line: 'Addresses and ports cannot be changed at the socket (`set server … addr`, `check-port`, `agent-port`, `fqdn`, `ssl`).',
  },
  { line: '`set maxconn frontend`, `set maxconn global`, `shutdown frontend` and `shutdown session` are not known.' },
  { line: 'An agent is asked in virtual time alone.' },
  { line: 'What tracks a server that is `disabled` in the file leaves maint with it after a reload by a state file.' },
  { line: 'The order of round robin is another one.' },
]

/** An answer without what is accepted to differ. */
export const comparable = (answer: string): string =>
  ACCEPTED.reduce((left, { without }) => without?.(left) ?? left, answer)
