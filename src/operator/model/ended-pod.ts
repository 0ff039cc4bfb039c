import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { PodEnd } from './run-state.ts'

/** The container of a Job that runs the roll. */
export const CONTAINER = 'roll'

/** A pod of a Job, with how its roll ended. */
interface RollPod {
  readonly namespace: string
  readonly name: string
  /** ISO 8601; absent: it has not ended. */
  readonly endedAt?: string
  readonly end?: PodEnd
}

const MESSAGE_MAX = 1_500

export const ROLL_PODS: ObjectKind<RollPod> = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  namespaced: true,
  parse: (object) => {
    const { namespace, name } = parseMetadata(object, 'namespaced')
    return { namespace, name, ...endOf(object) }
  },
}

function endOf(object: Untrusted): Pick<RollPod, 'end' | 'endedAt'> {
  const container = object
    .at('status')
    .at('containerStatuses')
    .each()
    .find((one) => one.at('name').textOr('') === CONTAINER)
  const ended = container?.at('state').at('terminated')
  if (ended === undefined || ended.absent) return {}
  const words = ended
    .at('message')
    .textOr('')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')
  const message = words === '' ? ended.at('reason').textOr('it ended without a word') : words.slice(-MESSAGE_MAX)
  return {
    end: { exitCode: ended.at('exitCode').integerOr(1), message },
    ...present({ endedAt: ended.at('finishedAt').optionalText() }),
  }
}
