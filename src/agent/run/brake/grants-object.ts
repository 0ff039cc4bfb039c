import type { ConfigMap } from '../../../ground/model/config-map.ts'
import { present } from '../../../ground/model/present.ts'
import { formatGrants, GRANTS_CONFIG_MAP, GRANTS_KEY, parseGrants } from '../../../service/model/cordon-grants.ts'
import type { BrakeAction } from '../../decide/brake/decide.ts'
import type { Published } from '../../decide/brake/snapshot.ts'

/** The leader that wrote it: its first write voids writes that an earlier leader may still send for an older version. */
const LEADER_ANNOTATION = 'evenkeel.dev/leader'
/** Not read by agents: nodes that wait, and have an Event about it. */
const ANNOUNCED_KEY = 'told'

export function publishedBy(found: ConfigMap | undefined): Published | undefined {
  if (found === undefined) return undefined
  const grants = parseGrants(found.data[GRANTS_KEY] ?? '')
  return {
    writer: found.annotations[LEADER_ANNOTATION] ?? '',
    announced: announcedIn(found.data[ANNOUNCED_KEY] ?? ''),
    ...present({ grants }),
  }
}

interface Writing {
  readonly namespace: string
  readonly self: string
  /** The object as it was read; other data in it stays. */
  readonly found: ConfigMap | undefined
}

export function withGrants(
  { grants, announced }: Pick<Extract<BrakeAction, { kind: 'publish' }>, 'grants' | 'announced'>,
  { namespace, self, found }: Writing,
): ConfigMap {
  return {
    namespace,
    name: GRANTS_CONFIG_MAP,
    resourceVersion: found?.resourceVersion ?? '',
    annotations: { ...found?.annotations, [LEADER_ANNOTATION]: self },
    data: { ...found?.data, [GRANTS_KEY]: formatGrants(grants), [ANNOUNCED_KEY]: announced.join(' ') },
  }
}

const announcedIn = (text: string): readonly string[] => [...new Set(text.split(/\s+/).filter((name) => name !== ''))]
