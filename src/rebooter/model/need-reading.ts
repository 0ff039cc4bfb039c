/** What was read of the files of one machine, below the directory at which they are mounted. All text is foreign. */
export interface NeedReading {
  /** Of /etc/os-release: ID and ID_LIKE; undefined: it cannot be read. */
  readonly families: readonly string[] | undefined
  /** Every file that was asked for, by its path on the machine. */
  readonly files: ReadonlyMap<string, FileReading>
  /** The kernel that runs, as `uname -r` prints it. */
  readonly kernel: string
  readonly kernels: KernelsReading
  readonly packages: PackagesReading
}

export type FileReading =
  | { readonly kind: 'there'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'absent' }
  | Unreadable

interface Unreadable {
  readonly kind: 'unknown'
  readonly text: string
}

/** The kernels that have an image, in the form of `uname -r`. */
export type KernelsReading = { readonly kind: 'listed'; readonly names: readonly string[] } | Unreadable

/** What the database of rpm has; absent: the machine has none. */
export type PackagesReading =
  | { readonly kind: 'absent' }
  /** Nothing was written to it since the machine booted. */
  | { readonly kind: 'unchanged' }
  /** Those of the asked packages that were installed since the machine booted. */
  | { readonly kind: 'installed'; readonly names: readonly string[] }
  | Unreadable
