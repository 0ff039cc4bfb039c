import { UserError } from '../../ground/model/user-error.ts'

const NEED_SOURCES = ['debian', 'suse', 'ostree', 'rpm', 'kernel'] as const

export type NeedSource = (typeof NEED_SOURCES)[number]

/** How a machine knows that it needs a reboot. */
export interface NeedSources {
  /** `auto`: those that its /etc/os-release stands for. */
  readonly of: 'auto' | readonly NeedSource[]
  /** Files of the user's: each says, by being there, that a reboot is needed. */
  readonly files: readonly string[]
}

interface Sentinel {
  /** The same file by several paths: which of them can be read depends on what is mounted. */
  readonly paths: readonly string[]
  /** Where one of these is an ID of the system, or this file is there, its absence says that no reboot is needed. */
  readonly families: readonly string[]
  readonly mark?: string
}

/**
 * - debian: of update-notifier and unattended-upgrades; the package names are in the same path with `.pkgs`
 * - suse: of libzypp (`zypper needs-rebooting`), of zypp-boot-plugin, which writes how deep the reboot must be, and of
 *   transactional-update
 * - ostree: a deployment of rpm-ostree or bootc that waits for the next boot
 */
export const SENTINELS: Readonly<Record<'debian' | 'suse' | 'ostree', Sentinel>> = {
  debian: { paths: ['/run/reboot-required', '/var/run/reboot-required'], families: ['debian', 'ubuntu'] },
  suse: { paths: ['/run/reboot-needed', '/var/run/reboot-needed'], families: ['suse', 'opensuse', 'sles'] },
  ostree: { paths: ['/run/ostree/staged-deployment'], families: [], mark: '/run/ostree-booted' },
}

/** The list of packages beside Debian's file. */
export const packagesPath = (path: string): string => `${path}.pkgs`

/** Systems of rpm whose `needs-restarting -r` goes by the times at which packages were installed. */
export const RPM_FAMILIES: readonly string[] = ['rhel', 'fedora', 'centos']

/** Each file that has to be read. */
export const pathsToRead = ({ files }: NeedSources): readonly string[] => [
  ...SENTINELS.debian.paths.flatMap((path) => [path, packagesPath(path)]),
  ...SENTINELS.suse.paths,
  ...SENTINELS.ostree.paths,
  ...(SENTINELS.ostree.mark === undefined ? [] : [SENTINELS.ostree.mark]),
  ...files,
]

const PATH = /^\/[^\u0000-\u001f\u007f]*[^/\u0000-\u001f\u007f]$/
const isSource = (word: string): word is NeedSource => NEED_SOURCES.some((source) => source === word)

/** Of the options `--need` (`auto`, or names with commas between) and `--need-file`. Throws UserError. */
export function needSourcesOf(text: string, files: readonly string[]): NeedSources {
  const wrong = files.find((path) => !PATH.test(path) || path.split('/').includes('..'))
  if (wrong !== undefined) {
    throw new UserError(`--need-file: "${wrong}" is no absolute path of a file`, {
      code: 'usage.need-file',
      fix: 'name a file of the machine, such as /var/run/reboot-required',
    })
  }
  if (text === 'auto') return { of: 'auto', files }
  const words = text === '' ? [] : text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !isSource(word))
  if (unknown !== undefined || (words.length === 0 && files.length === 0)) {
    throw new UserError(`--need: "${unknown ?? text}" names no source`, {
      code: 'usage.need',
      fix: `write auto, or one or more of ${NEED_SOURCES.join(', ')} with commas between`,
    })
  }
  return { of: words.filter(isSource), files }
}
