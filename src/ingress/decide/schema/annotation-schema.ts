import { annotationKey, annotationRequest } from '../../../ground/model/schema/annotation-key.ts'
import { choice, integer, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'
import { GRACE_MAX_SECONDS, INGRESS_DEFAULTS } from '../../model/ingress-defaults.ts'

const grace = (description: string): Schema =>
  integer(description, { minimum: 0, maximum: GRACE_MAX_SECONDS, default: INGRESS_DEFAULTS.graceSeconds })

export const annotateDeployment = (): Schema =>
  object(
    'The mark on the Deployment of a node with which a detach begins. From then on the health check of the node fails, and a load balancer that asks it sends nothing more to the node. The mark is removed when the pods are replaced. Requires maxUnavailableNodes of 1 or more.',
    {
      key: annotationKey(`Key of the annotation on the Deployment. Defaults to ${INGRESS_DEFAULTS.detachKey}.`, {
        default: INGRESS_DEFAULTS.detachKey,
      }),
      value: text('Value of the annotation. Defaults to the empty text: the key alone is the mark.', {
        maxLength: 1024,
      }),
      gracePeriodSeconds: grace(
        'Seconds from the mark until load balancers have noticed: the interval of their health check times the failures that they wait for, and a little more. No pod is touched before. From 0 to 86400; defaults to 10. Example: 15 for a check every 5 seconds that gives up after 2 failures.',
      ),
    },
  )

export const annotateNode = (): Schema =>
  object(
    'Asks a detacher of another project, such as node-detacher, to take a node out of its load balancers: the annotation is set on the Node before its pods change, and removed when they are replaced. A value that was there before stays. Requires maxUnavailableNodes of 1 or more.',
    {
      key: annotationRequest(
        'Key of the annotation on the Node. Example: node-detacher.variant.run/detached. KEY=VALUE in one is taken as well, and is warned of: write VALUE into value.',
      ),
      value: text(
        'Value of the annotation. Defaults to the empty text: the key alone is the request. Example: "true".',
        { maxLength: 1024 },
      ),
      gracePeriodSeconds: grace(
        'Seconds from the annotation until the detacher has acted and traffic has stopped. No pod is touched before. From 0 to 86400; defaults to 10.',
      ),
    },
    { required: ['key'] },
  )

export const waitForDetachment = (): Schema =>
  object(
    'Waits until the detacher writes on the Node when it was done. A timestamp that is older than the request counts for nothing. Requires annotateNodeToDetach. What happens if no timestamp comes says detachTimeoutPolicy.',
    {
      key: annotationKey(
        'Key of the annotation on the Node in which the detacher writes its timestamp. Example: node-detacher.variant.run/detachment-timestamp.',
      ),
      format: choice(
        'Format of the timestamp. RFC3339 is the only one, and the default. Example of a timestamp: 2026-03-01T12:00:00Z.',
        ['RFC3339'],
      ),
      gracePeriodSeconds: grace(
        'Seconds from that timestamp until connections through the load balancer have ended, such as its deregistration delay. From 0 to 86400; defaults to 10. Example: 30.',
      ),
    },
    { required: ['key'] },
  )
