interface RbacRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

export interface RbacManifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly RbacRule[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

/** `verb group resource namespace name` for each right that is given by a role, `*` for all. */
export const grantedBy = (manifests: readonly RbacManifest[]): readonly string[] =>
  manifests.flatMap(({ metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.flatMap((verb) =>
            resourceNames.map((name) => [verb, group, resource, metadata.namespace ?? '*', name].join(' ')),
          ),
        ),
      ),
    ),
  )

/** `KIND NAME in NAMESPACE` for each role that is bound to `KIND NAMESPACE/NAME`. */
export const boundTo = (manifests: readonly RbacManifest[], whom: string): readonly string[] =>
  manifests.flatMap(({ metadata, roleRef, subjects = [] }) => {
    const isTheirs = subjects.some(({ kind, name, namespace }) => `${kind} ${namespace}/${name}` === whom)
    return roleRef !== undefined && isTheirs
      ? [`${roleRef.kind} ${roleRef.name} in ${metadata.namespace ?? 'the cluster'}`]
      : []
  })
