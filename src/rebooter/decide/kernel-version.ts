/** A name of a kernel as `uname -r` prints it, in two parts. */
interface KernelName {
  readonly version: string
  /** What is built from the same version in another way: the machine boots a kernel of its flavour. */
  readonly flavour: string
}

/** `5.14.0-427.13.1.el9_4.x86_64+rt`, `6.10.3-200.fc40.x86_64`: of rpm, with the architecture at the end. */
const OF_RPM = /^(?<version>.+)\.(?<arch>x86_64|aarch64|ppc64le|s390x|riscv64)(?<variant>[+.][\w.+-]*)?$/
/** Kernels of Oracle, for real time and of Amazon bear their flavour within the release. */
const WITHIN = /\.(?<word>el\d+uek|rt\d+)\b/
/** Words that begin with a letter and belong to the version. */
const OF_VERSION = /^(rc\d+|arch\d+|zen\d+|hardened\d+|artix\d+)$/

/** In Debian's and SUSE's form the flavour is the last words: 6.1.0-30-cloud-amd64, 6.8.0-1019-aws, 6.4.0-150600.23.25-default. */
export function kernelName(name: string): KernelName {
  const rpm = OF_RPM.exec(name)?.groups
  if (rpm?.version !== undefined) {
    const within = WITHIN.exec(rpm.version)?.groups?.word?.replace(/\d+/g, '') ?? ''
    return { version: rpm.version, flavour: `${rpm.arch}${rpm.variant ?? ''} ${within}`.trim() }
  }
  const words = name.split('-')
  const last = words.findLastIndex((word) => /^\d/.test(word) || OF_VERSION.test(word))
  return { version: words.slice(0, last + 1).join('-'), flavour: words.slice(last + 1).join('-') }
}

/**
 * Greater than 0 where `one` is newer. As rpm compares (rpmvercmp): runs of digits by their number, runs of letters by their text, a
 * number is newer than letters, and more is newer than less. Debian's rules give the same order for the names of its kernels. A
 * release candidate, by `~` or `-rc`, is older than the release.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [runsOf(one), runsOf(other)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = compareRuns(left[i], right[i])
    if (order !== 0) return order
  }
  return 0
}

const runsOf = (version: string): readonly string[] =>
  version.replace(/-rc(?=\d)/g, '~rc').match(/\d+|[a-zA-Z]+|~/g) ?? []

function compareRuns(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === '~') return -1
  if (other === '~') return 1
  if (one === undefined) return -1
  if (other === undefined) return 1
  const [isNumber, isOther] = [/^\d/.test(one), /^\d/.test(other)]
  if (isNumber !== isOther) return isNumber ? 1 : -1
  if (!isNumber) return one < other ? -1 : 1
  const [digits, others] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')]
  if (digits.length !== others.length) return digits.length - others.length
  return digits === others ? 0 : digits < others ? -1 : 1
}
