import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { isPathPart } from '../../ground/model/schema/api-names.ts'
import { UserError } from '../../ground/model/user-error.ts'

/** Where the journals of rolls are, as `--state-dir` says it. */
type JournalPlace =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'configmaps'; readonly namespace: string }

const CONFIG_MAPS = 'configmaps:'

/** `configmaps:evenkeel` is a namespace of the cluster; a directory of that name is `./configmaps:evenkeel`. */
export function journalPlace(stateDir: string): JournalPlace {
  if (!stateDir.startsWith(CONFIG_MAPS)) return { kind: 'directory', path: stateDir }
  const namespace = stateDir.slice(CONFIG_MAPS.length)
  if (isPathPart('namespace', namespace)) return { kind: 'configmaps', namespace }
  throw new UserError(`--state-dir: ${escapeForeign(JSON.stringify(namespace), 80)} is not the name of a namespace`, {
    code: 'usage.state-dir',
    fix: 'write --state-dir configmaps:NAMESPACE, as in configmaps:evenkeel; or ./configmaps:… for a directory of that name',
  })
}

export const placeText = (namespace: string): string => `${CONFIG_MAPS}${namespace}`
