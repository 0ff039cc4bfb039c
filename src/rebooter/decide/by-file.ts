import type { FileReading, NeedReading } from '../model/need-reading.ts'
import { packagesPath, SENTINELS } from '../model/need-sources.ts'
import type { NeedAnswer } from './need-answer.ts'

const PACKAGES_MAX = 5

/** By the file that the tools of a distribution make. One of its paths is enough; what is not mounted is not absent. */
export function bySentinel(name: keyof typeof SENTINELS, { files }: Pick<NeedReading, 'files'>): NeedAnswer {
  const { paths } = SENTINELS[name]
  const read = paths.map((path) => ({ path, file: files.get(path) ?? NOT_READ }))
  const there = read.find(({ file }) => file.kind === 'there')
  if (there !== undefined) {
    const more = name === 'suse' ? levelOf(there.file) : packagesOf(files.get(packagesPath(there.path)))
    return { kind: 'needed', reason: 'PackagesUpdated', text: `${there.path} is there${more}` }
  }
  const absent = read.find(({ file }) => file.kind === 'absent')
  if (absent !== undefined) return { kind: 'none', reason: '', text: `no ${absent.path}` }
  return { kind: 'unknown', reason: '', text: unknownText(read[0]) }
}

/** A file of the user's. */
export function byUserFile(path: string, { files }: Pick<NeedReading, 'files'>): NeedAnswer {
  const file = files.get(path) ?? NOT_READ
  if (file.kind === 'there') return { kind: 'needed', reason: 'FileFound', text: `${path} is there` }
  if (file.kind === 'absent') return { kind: 'none', reason: '', text: `no ${path}` }
  return { kind: 'unknown', reason: '', text: unknownText({ path, file }) }
}

const NOT_READ: FileReading = { kind: 'unknown', text: 'it was not read' }

const unknownText = (read: { readonly path: string; readonly file: FileReading } | undefined): string =>
  read?.file.kind === 'unknown' ? `${read.path} cannot be read: ${read.file.text}` : 'no file was read'

/** Each update adds its lines, so that names stand there again and again. Of a list that was cut, the last name was cut as well. */
function packagesOf(list: FileReading | undefined): string {
  if (list?.kind !== 'there') return ''
  const lines = list.text.split('\n').map((line) => line.trim())
  const whole = list.isCut ? lines.slice(0, -1) : lines
  const names = [...new Set(whole.filter((line) => line !== ''))]
  if (names.length === 0) return ''
  const left = names.length - PACKAGES_MAX
  const more = list.isCut ? ', more' : left > 0 ? `, ${left} more` : ''
  return `, for ${names.slice(0, PACKAGES_MAX).join(', ')}${more}`
}

/** zypp-boot-plugin writes `reboot`, `kexec` or `soft-reboot`; libzypp and transactional-update leave the file empty. */
function levelOf(file: FileReading): string {
  const level = file.kind === 'there' ? file.text.trim() : ''
  return /^(reboot|kexec|soft-reboot)$/.test(level) ? `, for a ${level}` : ''
}
