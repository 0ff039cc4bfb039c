import type { FollowParts } from '../../ground/kube/follow.ts'
import { followNamed, type Named } from '../../ground/kube/follow-named.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import { GRANTS_CONFIG_MAP, GRANTS_KEY, parseGrants } from '../../service/model/cordon-grants.ts'
import type { GrantsFeed, GrantsReading } from '../ports/grants-feed.ts'

/** One watch of the ConfigMap with the granted cordons. */
export const kubeGrantsFeed = (parts: FollowParts, namespace: string): GrantsFeed => ({
  follow: (sink, signal) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`
    const named = { path, resource: 'configmaps', name: GRANTS_CONFIG_MAP, parse: readGrants, senseless }
    return followNamed(parts, { named, sink }, signal)
  },
})

const readGrants = (object: Untrusted): GrantsReading =>
  present({ grants: parseGrants(object.at('data').at(GRANTS_KEY).textOr('')) })

const senseless: Named<GrantsReading>['senseless'] = { type: 'listed', objects: [{}] }
