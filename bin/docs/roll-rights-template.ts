import { readFileSync } from 'node:fs'
import { parseAllDocuments, stringify } from 'yaml'

/** The rights of a run, in the order in which the chart has them. */
const SOURCES = ['roll-rbac.yaml', 'roll-journal-rbac.yaml']

export const ROLL_RIGHTS_TEMPLATE = 'chart/evenkeel/templates/roll-rights.yaml'

/** In place of expressions of a template, which are no YAML. */
const [RELEASE, SLOTS, NAME] = ['x-release-ns', 'x-slots-ns', 'x-release-name']
const OWN = 'evenkeel'

interface Bound {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly roleRef?: { readonly name: string }
  readonly subjects?: readonly { readonly namespace?: string }[]
}

/** What a gate of a Roll reads: whether it is paused, and which nodes are approved. */
const OF_ROLLS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'evenkeel-roll-requests', namespace: OWN },
    rules: [{ apiGroups: ['evenkeel.dev'], resources: ['rolls'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'evenkeel-roll-requests', namespace: OWN },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'evenkeel-roll-requests' },
    subjects: [{ kind: 'ServiceAccount', name: 'evenkeel-roll', namespace: OWN }],
  },
]

/** The rights of the pods of Rolls as a template of the chart, made from those that a person applies for a roll as a Job. */
export function rollRightsTemplate(): string {
  const shipped = SOURCES.flatMap((file) =>
    parseAllDocuments(readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')).map(
      (document) => document.toJS() as Bound,
    ),
  )
  const objects = [...shipped, ...OF_ROLLS].filter(({ kind }) => kind !== 'Namespace').map(ofRelease)
  const text = objects
    .map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 140 }))
    .join('---\n')
  const filled = text
    .replaceAll(NAME, '{{ include "evenkeel.name" . }}')
    .replaceAll(RELEASE, '{{ .Release.Namespace | quote }}')
    .replaceAll(SLOTS, '{{ .Values.ingress.slotsNamespace | default "evenkeel" | quote }}')
  return `{{- if include "evenkeel.rolls" . }}
# The rights of the pods of Rolls. Made by npm run docs, from ${SOURCES.join(' and ')}.
${filled}{{- end }}
`
}

function ofRelease(object: Bound): object {
  const { metadata, roleRef, subjects } = object
  const namespace =
    metadata.namespace === OWN ? (metadata.name === 'evenkeel-slots' ? SLOTS : RELEASE) : metadata.namespace
  return {
    ...object,
    metadata: { ...metadata, name: named(metadata.name), ...(namespace === undefined ? {} : { namespace }) },
    ...(roleRef === undefined ? {} : { roleRef: { ...roleRef, name: named(roleRef.name) } }),
    ...(subjects === undefined
      ? {}
      : { subjects: subjects.map((subject) => ({ ...subject, name: `${NAME}-roll`, namespace: RELEASE })) }),
  }
}

const named = (name: string): string => name.replace(/^evenkeel/, NAME)
