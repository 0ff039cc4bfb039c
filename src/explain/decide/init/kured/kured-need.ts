import type { KuredReader } from './kured-reader.ts'

/** What evenkeel-rebooter has to look at, as values of the chart. */
interface RebooterNeed {
  readonly need: 'auto' | ''
  readonly needFiles: readonly string[]
  /** Absent: those of the chart have the files. */
  readonly needMounts?: readonly string[]
  readonly why: string
}

/** Of the chart's values. */
export const NEED_MOUNTS: readonly string[] = ['/run', '/boot', '/lib/modules', '/usr/lib/os-release']
/** `auto` looks at these itself. */
const KNOWN: readonly string[] = ['/run/reboot-required', '/run/reboot-needed']

/** kured looks at one file, and so does the rebooter where that is a file of its owner alone. */
export function rebooterNeed(kured: KuredReader): RebooterNeed {
  const path = kured.sentinel().replace(/^\/var\/run\//, '/run/')
  if (kured.words('reboot-sentinel-command') !== undefined) {
    return { need: 'auto', needFiles: [], why: 'rebooter.need: auto, which looks at packages and kernels' }
  }
  if (KNOWN.includes(path)) {
    return {
      need: 'auto',
      needFiles: [],
      why: 'rebooter.need: auto, which looks at this file, at packages and kernels',
    }
  }
  const directory = path.slice(0, path.lastIndexOf('/')) || '/'
  if (directory === '/' || path.split('/').includes('..')) {
    const why =
      'rebooter.need: auto; this file cannot be mounted: let it be made in /run, and name it in rebooter.needFiles'
    return { need: 'auto', needFiles: [], why }
  }
  const why = 'rebooter.needFiles: the same file alone'
  const isMounted = NEED_MOUNTS.some((mount) => path.startsWith(`${mount}/`))
  return { need: '', needFiles: [path], why, ...(isMounted ? {} : { needMounts: [...NEED_MOUNTS, directory] }) }
}
