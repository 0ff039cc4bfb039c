import { parseAllDocuments } from 'yaml'
import type { CliContext } from '../../../cli/cli-context.ts'
import { type KuredSettings, kuredSettings } from '../../../ground/model/kured-settings.ts'
import { MalformedReply, Untrusted } from '../../../ground/model/untrusted.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import type { InitActions } from './init-actions.ts'
import type { InitFlags } from './init-flags.ts'

interface Search {
  readonly context: CliContext
  readonly actions: InitActions
  readonly flags: InitFlags
}

/** Of the cluster, or of a manifest; undefined where the file is not to be made from kured. */
export async function findKured({ context, actions, flags }: Search): Promise<KuredSettings | undefined> {
  if (flags.from === undefined) return undefined
  const [, file] = /^kured(?:=(.+))?$/s.exec(flags.from) ?? refuse(flags.from)
  const found =
    file === undefined
      ? await actions.findKured(flags, context.interrupts.signal)
      : ofManifest(file, await context.readText(file))
  const [first, ...others] = found
  if (first === undefined) {
    throw new UserError(`there is no DaemonSet of kured in ${file ?? 'the cluster'}`, {
      code: 'init.no-kured',
      fix: 'name a manifest of it: --from kured=FILE; of a Helm release, helm get manifest kured writes it',
    })
  }
  if (others.length === 0) return first
  throw new UserError(`there are ${found.length} DaemonSets of kured: ${found.map(placeOf).join(', ')}`, {
    code: 'init.no-kured',
    fix: 'write one of them to a file, and name it: --from kured=FILE',
  })
}

const placeOf = ({ namespace, name }: KuredSettings): string =>
  namespace === undefined ? name : `${namespace}/${name}`

function refuse(text: string): never {
  throw new UserError(`--from: "${text}" is not known`, {
    code: 'usage.from',
    fix: 'write --from kured, or --from kured=FILE',
  })
}

/** Of all documents of the file, also those of a List. */
function ofManifest(file: string, text: string): readonly KuredSettings[] {
  const documents = parseAllDocuments(text)
  if (!Array.isArray(documents)) return []
  const wrong = documents.flatMap(({ errors }) => errors)[0]
  if (wrong !== undefined) {
    throw new UserError(`${file} is no YAML: ${wrong.message}`, {
      code: 'init.no-kured',
      fix: 'name a manifest of kured',
    })
  }
  try {
    const objects = documents.map((document) => new Untrusted(document.toJS({ maxAliasCount: 100 }), file))
    const all = objects
      .filter(isMap)
      .flatMap((object) => (kindOf(object) === 'List' ? object.at('items').each() : [object]))
    return all
      .filter((object) => isMap(object) && kindOf(object) === 'DaemonSet')
      .flatMap((object) => kuredSettings(object) ?? [])
  } catch (error) {
    if (!(error instanceof MalformedReply)) throw error
    throw new UserError(`${file} is no manifest of kured: ${error.message}`, {
      code: 'init.no-kured',
      fix: 'name a manifest as kubectl get daemonset -o yaml writes it',
    })
  }
}

const isMap = ({ raw }: Untrusted): boolean => typeof raw === 'object' && raw !== null && !Array.isArray(raw)
const kindOf = (object: Untrusted): string => object.at('kind').textOr('')
