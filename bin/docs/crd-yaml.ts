import { stringify } from 'yaml'
import { ingressCrd } from '../../src/core/ingress/schema/ingress-crd.ts'
import type { IngressGroup } from '../../src/model/ingress-daemon-set.ts'

const ABOUT: Readonly<Record<IngressGroup, string>> = {
  'evenkeel.dev': 'IngressDaemonSets of Even Keel.',
  'ingressdaemonsets.mumoshu.github.io':
    'IngressDaemonSets under the group of the controller of mumoshu, so that its manifests can be applied as they are.\n# Where that controller is installed, remove it first: both would write the same objects.',
}

const head = (group: IngressGroup): string =>
  `# ${ABOUT[group]}\n# Made by bin/generate-docs.ts. Takes Kubernetes 1.29 or newer, which checks the rules.\n`

const yamlOf = (value: object): string => stringify(value, { aliasDuplicateObjects: false, lineWidth: 140 })

/** What is shipped in `deploy/crd` for that group. */
export const crdYaml = (group: IngressGroup): string => `${head(group)}${yamlOf(ingressCrd(group))}`

/** The same as a template of the chart: among the templates, and not in Helm's folder `crds`, since Helm never upgrades what is in there. */
export function crdTemplate(group: IngressGroup): string {
  const { apiVersion, kind, metadata, spec } = ingressCrd(group)
  return [
    `{{- if include "evenkeel.bringsCrd" (dict "root" . "group" "${group}") }}`,
    `${head(group)}apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${metadata.name}`,
    '  annotations:',
    '    # With the definition all its objects would go.',
    '    helm.sh/resource-policy: keep',
    '  labels:',
    '    {{- include "evenkeel.labels" (dict "root" . "component" "controller") | nindent 4 }}',
    // What looks like a template is text.
    `${yamlOf({ spec }).replaceAll('{{', '{{ "{{" }}')}{{- end }}\n`,
  ].join('\n')
}

/** Below `deploy`. */
export const crdFile = (group: IngressGroup): string => `crd/ingressdaemonsets.${group}.yaml`
export const crdTemplateFile = (group: IngressGroup): string => `chart/evenkeel/templates/crd-${group}.yaml`
