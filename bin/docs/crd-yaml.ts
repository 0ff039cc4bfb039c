import { stringify } from 'yaml'
import { ingressCrd } from '../../src/core/ingress/schema/ingress-crd.ts'
import type { IngressGroup } from '../../src/model/ingress-daemon-set.ts'

const ABOUT: Readonly<Record<IngressGroup, string>> = {
  'evenkeel.dev': 'IngressDaemonSets of Even Keel.',
  'ingressdaemonsets.mumoshu.github.io':
    'IngressDaemonSets under the group of the controller of mumoshu, so that its manifests can be applied as they are.\n# Where that controller is installed, remove it first: both would write the same objects.',
}

/** What is shipped in `deploy/crd` for that group. */
export const crdYaml = (group: IngressGroup): string =>
  `# ${ABOUT[group]}\n# Made by bin/generate-docs.ts. Takes Kubernetes 1.29 or newer, which checks the rules.\n# No controller of this version acts on these objects yet.\n${stringify(ingressCrd(group), { aliasDuplicateObjects: false, lineWidth: 140 })}`

export const crdFile = (group: IngressGroup): string => `crd/ingressdaemonsets.${group}.yaml`
