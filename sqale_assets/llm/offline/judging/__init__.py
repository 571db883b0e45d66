"""What the offline judge looks at, one module per side of a query: values, figures, shape, joins."""
