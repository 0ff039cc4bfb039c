import { stringify } from 'yaml'
import { INGRESS_GROUPS, type IngressGroup } from '../../src/ground/model/ingress-keys.ts'
import { guardCrd } from '../../src/guard/decide/schema/guard-crd.ts'
import { ingressCrd } from '../../src/ingress/decide/schema/ingress-crd.ts'
import { rollCrd } from '../../src/operator/reading/roll-crd.ts'
import { scheduleCrd } from '../../src/operator/reading/schedule-crd.ts'

interface Definition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: object
}

/** A CustomResourceDefinition that is shipped, as a file of its own and as a template of the chart. */
interface ShippedCrd {
  readonly definition: Definition
  /** Comments, without their marks. */
  readonly about: string
  /** When the chart installs it, as a condition of its templates. */
  readonly condition: string
  /** Of the template, without its ending. */
  readonly template: string
}

const ABOUT: Readonly<Record<IngressGroup, string>> = {
  'evenkeel.dev': 'IngressDaemonSets of Even Keel.',
  'ingressdaemonsets.mumoshu.github.io':
    'IngressDaemonSets under the group of the controller of mumoshu, so that its manifests can be applied as they are.\nWhere that controller is installed, remove it first: both would write the same objects.',
}

export const SHIPPED_CRDS: readonly ShippedCrd[] = [
  ...INGRESS_GROUPS.map((group) => ({
    definition: ingressCrd(group),
    about: ABOUT[group],
    condition: `include "evenkeel.bringsCrd" (dict "root" . "group" "${group}")`,
    template: `crd-${group}`,
  })),
  {
    definition: guardCrd(),
    about: 'NodeGuards.',
    condition: 'include "evenkeel.bringsGuardCrd" .',
    template: 'crd-nodeguards.evenkeel.dev',
  },
  ...[rollCrd(), scheduleCrd()].map((definition) => ({
    definition,
    about: `${definition.spec.names.kind}s.`,
    condition: 'include "evenkeel.bringsRollCrds" .',
    template: `crd-${definition.metadata.name}`,
  })),
]

const head = ({ about }: ShippedCrd): string =>
  `# ${about.replaceAll('\n', '\n# ')}\n# Made by npm run docs. Takes Kubernetes 1.29 or newer, which checks the rules.\n`

/** kubectl and helm read YAML 1.1, where a field `on` is the word true unless it has quotes. */
const yamlOf = (value: object): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth: 140, compat: 'yaml-1.1' })

/** What is shipped in `deploy/crd`. */
export const crdYaml = (crd: ShippedCrd): string => `${head(crd)}${yamlOf(crd.definition)}`

/** The same as a template of the chart. It is not in Helm's folder `crds`, since Helm never upgrades that. */
export function crdTemplate(crd: ShippedCrd): string {
  const { apiVersion, kind, metadata, spec } = crd.definition
  return [
    `{{- if ${crd.condition} }}`,
    `${head(crd)}apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${metadata.name}`,
    '  annotations:',
    '    # With the definition all its objects would go.',
    '    helm.sh/resource-policy: keep',
    '  labels:',
    '    {{- include "evenkeel.labels" (dict "root" . "component" "controller") | nindent 4 }}',
    // Text that looks like a template is escaped.
    `${yamlOf({ spec }).replaceAll('{{', '{{ "{{" }}')}{{- end }}\n`,
  ].join('\n')
}

/** Below `deploy`. */
export const crdFile = ({ definition }: ShippedCrd): string => `crd/${definition.metadata.name}.yaml`
export const crdTemplateFile = ({ template }: ShippedCrd): string => `chart/evenkeel/templates/${template}.yaml`
