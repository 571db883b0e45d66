-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
--
-- PostgreSQL database dump
--

-- Dumped from database version 11.18
-- Dumped by pg_dump version 11.18

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET client_min_messages = warning;

CREATE SCHEMA shop;

CREATE EXTENSION IF NOT EXISTS plpgsql WITH SCHEMA pg_catalog;

COMMENT ON EXTENSION plpgsql IS 'PL/pgSQL procedural language';

CREATE TYPE shop.order_state AS ENUM (
    'cart',
    'placed',
    'paid',
    'shipped',
    'returned'
);

CREATE FUNCTION shop.touch_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END;
$$;

SET default_tablespace = '';

SET default_with_oids = false;

--
-- Name: addresses; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.addresses (
    id integer NOT NULL,
    customer_id integer NOT NULL,
    kind character varying(10) DEFAULT 'shipping'::character varying NOT NULL,
    street character varying(120) NOT NULL,
    postal_code character varying(12),
    city character varying(60) NOT NULL,
    country_code character(2) NOT NULL,
    CONSTRAINT addresses_kind_check CHECK (((kind)::text = ANY (ARRAY[('shipping'::character varying)::text, ('billing'::character varying)::text])))
);


--
-- Name: brands; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.brands (
    id integer NOT NULL,
    name character varying(80) NOT NULL,
    country_code character(2)
);


--
-- Name: categories; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.categories (
    id integer NOT NULL,
    parent_id integer,
    slug character varying(60) NOT NULL,
    title character varying(80) NOT NULL,
    sort_order smallint DEFAULT 0 NOT NULL
);


--
-- Name: countries; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.countries (
    code character(2) NOT NULL,
    name character varying(60) NOT NULL,
    currency character(3) DEFAULT 'EUR'::bpchar NOT NULL
);


--
-- Name: coupons; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.coupons (
    code character varying(16) NOT NULL,
    percent_off smallint NOT NULL,
    valid_until date,
    CONSTRAINT coupons_percent_check CHECK (((percent_off >= 1) AND (percent_off <= 90)))
);


--
-- Name: customers; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.customers (
    id integer NOT NULL,
    email character varying(150) NOT NULL,
    full_name character varying(120) NOT NULL,
    phone character varying(24),
    newsletter boolean DEFAULT false NOT NULL,
    referred_by_id integer,
    created_at timestamp without time zone DEFAULT now() NOT NULL
);


--
-- Name: order_lines; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.order_lines (
    order_id integer NOT NULL,
    line_no smallint NOT NULL,
    sku character varying(20) NOT NULL,
    quantity integer DEFAULT 1 NOT NULL,
    unit_price numeric(10,2) NOT NULL
);


--
-- Name: orders; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.orders (
    id integer NOT NULL,
    customer_id integer NOT NULL,
    state shop.order_state DEFAULT 'cart'::shop.order_state NOT NULL,
    shipping_address_id integer,
    billing_address_id integer,
    coupon_code character varying(16),
    placed_at timestamp without time zone,
    updated_at timestamp without time zone DEFAULT now() NOT NULL
);


--
-- Name: payments; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.payments (
    id integer NOT NULL,
    order_id integer NOT NULL,
    method character varying(20) NOT NULL,
    amount numeric(10,2) NOT NULL,
    captured_at timestamp without time zone,
    gateway_reference uuid
);


--
-- Name: product_images; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.product_images (
    id integer NOT NULL,
    product_id integer NOT NULL,
    url character varying(200) NOT NULL,
    alt_text character varying(120)
);


--
-- Name: product_suppliers; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.product_suppliers (
    product_id integer NOT NULL,
    supplier_id integer NOT NULL,
    unit_cost numeric(10,2) NOT NULL
);


--
-- Name: product_tags; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.product_tags (
    product_id integer NOT NULL,
    tag_id integer NOT NULL
);


--
-- Name: product_variants; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.product_variants (
    sku character varying(20) NOT NULL,
    product_id integer NOT NULL,
    colour character varying(30),
    size_label character varying(20),
    price numeric(10,2) NOT NULL,
    weight_grams integer,
    CONSTRAINT product_variants_price_check CHECK ((price > (0)::numeric))
);


--
-- Name: products; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.products (
    id integer NOT NULL,
    brand_id integer,
    category_id integer NOT NULL,
    name character varying(120) NOT NULL,
    description text,
    attributes jsonb DEFAULT '{}'::jsonb NOT NULL,
    launched_on date,
    discontinued boolean DEFAULT false NOT NULL
);


--
-- Name: purchase_order_lines; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.purchase_order_lines (
    purchase_order_id integer NOT NULL,
    line_no smallint NOT NULL,
    sku character varying(20) NOT NULL,
    quantity integer NOT NULL,
    unit_cost numeric(10,2) NOT NULL
);


--
-- Name: purchase_orders; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.purchase_orders (
    id integer NOT NULL,
    supplier_id integer NOT NULL,
    warehouse_id integer NOT NULL,
    ordered_on date NOT NULL,
    received_on date
);


--
-- Name: returns; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.returns (
    id integer NOT NULL,
    order_id integer NOT NULL,
    line_no smallint NOT NULL,
    reason character varying(20) NOT NULL,
    refunded numeric(10,2) DEFAULT 0 NOT NULL,
    created_at timestamp without time zone NOT NULL,
    CONSTRAINT returns_reason_check CHECK (((reason)::text = ANY ((ARRAY['damaged'::character varying, 'wrong item'::character varying, 'changed mind'::character varying])::text[])))
);


--
-- Name: reviews; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.reviews (
    id integer NOT NULL,
    product_id integer NOT NULL,
    customer_id integer NOT NULL,
    stars smallint NOT NULL,
    body text,
    posted_at timestamp without time zone DEFAULT now() NOT NULL,
    CONSTRAINT reviews_stars_check CHECK (((stars >= 1) AND (stars <= 5)))
);


--
-- Name: shipment_lines; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.shipment_lines (
    shipment_id integer NOT NULL,
    order_id integer NOT NULL,
    line_no smallint NOT NULL,
    quantity integer NOT NULL
);


--
-- Name: shipments; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.shipments (
    id integer NOT NULL,
    order_id integer NOT NULL,
    warehouse_id integer NOT NULL,
    tracking_code character varying(40),
    shipped_at timestamp without time zone NOT NULL,
    delivered_at timestamp without time zone
);


--
-- Name: stock_levels; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.stock_levels (
    warehouse_id integer NOT NULL,
    sku character varying(20) NOT NULL,
    quantity integer DEFAULT 0 NOT NULL,
    reorder_point integer DEFAULT 5 NOT NULL,
    counted_on date
);


--
-- Name: suppliers; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.suppliers (
    id integer NOT NULL,
    company_name character varying(100) NOT NULL,
    contact_email character varying(150),
    country_code character(2) NOT NULL,
    lead_time_days integer DEFAULT 14 NOT NULL,
    CONSTRAINT suppliers_lead_time_check CHECK ((lead_time_days >= 0))
);


--
-- Name: tags; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.tags (
    id integer NOT NULL,
    label character varying(40) NOT NULL
);


--
-- Name: warehouses; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.warehouses (
    id integer NOT NULL,
    name character varying(60) NOT NULL,
    city character varying(60) NOT NULL,
    country_code character(2) NOT NULL
);


--
-- Name: wishlist_items; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.wishlist_items (
    customer_id integer NOT NULL,
    sku character varying(20) NOT NULL,
    added_at timestamp without time zone DEFAULT now() NOT NULL
);


--
-- Name: TABLE product_variants; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.product_variants IS 'What can be put in a cart: a product in one colour and size';


--
-- Name: COLUMN stock_levels.reorder_point; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON COLUMN shop.stock_levels.reorder_point IS 'Buy again when the quantity falls below';


--
-- Data for Name: addresses; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.addresses (id, customer_id, kind, street, postal_code, city, country_code) FROM stdin;
1	1	shipping	Calle del Tilo 8	28012	Madrid	ES
2	1	billing	Calle del Tilo 8	28012	Madrid	ES
3	2	shipping	Lindgatan 21	114 47	Stockholm	SE
4	3	shipping	2 Quay Terrace	\N	Galway	IE
5	4	shipping	Plaza Redonda 3	46001	Valencia	ES
\.


--
-- Data for Name: brands; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.brands (id, name, country_code) FROM stdin;
1	Forja Alta	ES
2	Nordglas	SE
3	Greenhand	\N
\.


--
-- Data for Name: categories; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.categories (id, parent_id, slug, title, sort_order) FROM stdin;
1	\N	kitchen	Kitchen	0
2	1	knives	Knives	1
3	1	cookware	Cookware	2
4	\N	garden	Garden	1
\.


--
-- Data for Name: countries; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.countries (code, name, currency) FROM stdin;
ES	Spain	EUR
SE	Sweden	SEK
IE	Ireland	EUR
\.


--
-- Data for Name: coupons; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.coupons (code, percent_off, valid_until) FROM stdin;
SPRING10	10	2024-04-30
FRIEND15	15	\N
\.


--
-- Data for Name: customers; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.customers (id, email, full_name, phone, newsletter, referred_by_id, created_at) FROM stdin;
1	paloma.r@example.com	Paloma Riquelme	555-0140	t	\N	2022-01-09 12:00:00
2	sven.k@example.com	Sven Kallberg	\N	f	1	2022-03-28 17:45:12
3	aoife.d@example.org	Aoife Dunmore	555-0142	t	\N	2023-05-16 09:30:55
4	noa.b@example.net	Noa Benarroch	\N	f	3	2023-11-24 22:18:03
\.


--
-- Data for Name: order_lines; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.order_lines (order_id, line_no, sku, quantity, unit_price) FROM stdin;
1	1	KN-20-B	1	89.00
1	2	PAN-24	1	46.00
2	1	CAS-25	2	38.90
3	1	SEC-01	1	27.95
4	1	PAN-28	1	54.00
5	1	KN-20-O	1	104.50
\.


--
-- Data for Name: orders; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.orders (id, customer_id, state, shipping_address_id, billing_address_id, coupon_code, placed_at, updated_at) FROM stdin;
1	1	shipped	1	2	\N	2024-01-15 20:11:00	2024-01-17 08:00:00
2	2	paid	3	3	SPRING10	2024-02-03 10:25:30	2024-02-03 10:26:00
3	3	returned	4	4	\N	2024-01-28 13:00:00	2024-02-12 09:00:00
4	1	cart	\N	\N	\N	\N	2024-02-14 19:59:00
5	4	placed	5	5	FRIEND15	2024-02-14 21:03:10	2024-02-14 21:03:10
\.


--
-- Data for Name: payments; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.payments (id, order_id, method, amount, captured_at, gateway_reference) FROM stdin;
1	1	card	135.00	2024-01-15 20:11:05	3d0fbb0e-7d7a-4f13-8e58-6f0000000001
2	2	card	70.02	2024-02-03 10:25:58	3d0fbb0e-7d7a-4f13-8e58-6f0000000002
3	3	transfer	27.95	2024-01-29 09:00:00	\N
\.


--
-- Data for Name: product_images; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.product_images (id, product_id, url, alt_text) FROM stdin;
1	1	https://img.example.com/knife-black.jpg	Black handled knife
2	2	https://img.example.com/pan.jpg	\N
\.


--
-- Data for Name: product_suppliers; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.product_suppliers (product_id, supplier_id, unit_cost) FROM stdin;
1	1	41.00
2	1	17.80
3	2	15.25
\.


--
-- Data for Name: product_tags; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.product_tags (product_id, tag_id) FROM stdin;
1	1
1	2
2	2
4	3
\.


--
-- Data for Name: product_variants; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.product_variants (sku, product_id, colour, size_label, price, weight_grams) FROM stdin;
KN-20-B	1	black	20 cm	89.00	260
KN-20-O	1	olive wood	20 cm	104.50	275
PAN-24	2	\N	24 cm	46.00	1400
PAN-28	2	\N	28 cm	54.00	1850
CAS-25	3	clear	2.5 l	38.90	2100
SEC-01	4	red	\N	27.95	\N
\.


--
-- Data for Name: products; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.products (id, brand_id, category_id, name, description, attributes, launched_on, discontinued) FROM stdin;
1	1	2	Chef knife 20 cm	Forged, full tang	{"steel": "X50"}	2021-04-01	f
2	1	3	Carbon steel pan	\N	{}	2021-09-15	f
3	2	3	Glass casserole	Oven safe to 250 degrees	{"litres": 2.5}	2020-02-01	t
4	3	4	Bypass secateurs	\N	{}	2023-03-01	f
\.


--
-- Data for Name: purchase_order_lines; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.purchase_order_lines (purchase_order_id, line_no, sku, quantity, unit_cost) FROM stdin;
1	1	KN-20-B	50	41.00
1	2	PAN-24	30	17.80
2	1	CAS-25	40	15.25
\.


--
-- Data for Name: purchase_orders; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.purchase_orders (id, supplier_id, warehouse_id, ordered_on, received_on) FROM stdin;
1	1	1	2024-01-10	2024-01-22
2	2	2	2024-02-01	\N
\.


--
-- Data for Name: returns; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.returns (id, order_id, line_no, reason, refunded, created_at) FROM stdin;
1	3	1	changed mind	27.95	2024-02-10 16:00:00
\.


--
-- Data for Name: reviews; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.reviews (id, product_id, customer_id, stars, body, posted_at) FROM stdin;
1	1	1	5	Holds its edge, feels balanced.	2024-01-25 18:00:00
2	4	3	2	Too stiff for me;\tsent back.	2024-02-11 10:10:00
\.


--
-- Data for Name: shipment_lines; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.shipment_lines (shipment_id, order_id, line_no, quantity) FROM stdin;
1	1	1	1
1	1	2	1
2	3	1	1
\.


--
-- Data for Name: shipments; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.shipments (id, order_id, warehouse_id, tracking_code, shipped_at, delivered_at) FROM stdin;
1	1	1	TRK000981	2024-01-16 15:00:00	2024-01-17 11:40:00
2	3	1	\N	2024-01-30 08:20:00	2024-02-01 12:12:00
\.


--
-- Data for Name: stock_levels; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.stock_levels (warehouse_id, sku, quantity, reorder_point, counted_on) FROM stdin;
1	KN-20-B	42	10	2024-01-31
1	PAN-24	17	8	2024-01-31
2	CAS-25	3	5	\N
1	SEC-01	60	20	2024-02-02
2	KN-20-B	9	5	2024-02-01
\.


--
-- Data for Name: suppliers; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.suppliers (id, company_name, contact_email, country_code, lead_time_days) FROM stdin;
1	Talleres del Norte	pedidos@talleres.example.com	ES	10
2	Glasbruket Import	\N	SE	21
\.


--
-- Data for Name: tags; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.tags (id, label) FROM stdin;
1	gift
2	bestseller
3	eco
\.


--
-- Data for Name: warehouses; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.warehouses (id, name, city, country_code) FROM stdin;
1	Centro	Getafe	ES
2	Norden	Malmö	SE
\.


--
-- Data for Name: wishlist_items; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.wishlist_items (customer_id, sku, added_at) FROM stdin;
2	KN-20-O	2024-01-02 09:00:00
3	PAN-28	2024-02-08 21:30:00
\.


--
-- Name: addresses addresses_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_pkey PRIMARY KEY (id);


--
-- Name: brands brands_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.brands
    ADD CONSTRAINT brands_pkey PRIMARY KEY (id);


--
-- Name: categories categories_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.categories
    ADD CONSTRAINT categories_pkey PRIMARY KEY (id);


--
-- Name: countries countries_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.countries
    ADD CONSTRAINT countries_pkey PRIMARY KEY (code);


--
-- Name: coupons coupons_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.coupons
    ADD CONSTRAINT coupons_pkey PRIMARY KEY (code);


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);


--
-- Name: order_lines order_lines_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.order_lines
    ADD CONSTRAINT order_lines_pkey PRIMARY KEY (order_id, line_no);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);


--
-- Name: payments payments_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (id);


--
-- Name: product_images product_images_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_images
    ADD CONSTRAINT product_images_pkey PRIMARY KEY (id);


--
-- Name: product_suppliers product_suppliers_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_suppliers
    ADD CONSTRAINT product_suppliers_pkey PRIMARY KEY (product_id, supplier_id);


--
-- Name: product_tags product_tags_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_tags
    ADD CONSTRAINT product_tags_pkey PRIMARY KEY (product_id, tag_id);


--
-- Name: product_variants product_variants_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_variants
    ADD CONSTRAINT product_variants_pkey PRIMARY KEY (sku);


--
-- Name: products products_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);


--
-- Name: purchase_order_lines purchase_order_lines_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.purchase_order_lines
    ADD CONSTRAINT purchase_order_lines_pkey PRIMARY KEY (purchase_order_id, line_no);


--
-- Name: purchase_orders purchase_orders_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.purchase_orders
    ADD CONSTRAINT purchase_orders_pkey PRIMARY KEY (id);


--
-- Name: returns returns_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.returns
    ADD CONSTRAINT returns_pkey PRIMARY KEY (id);


--
-- Name: reviews reviews_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (id);


--
-- Name: shipment_lines shipment_lines_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipment_lines
    ADD CONSTRAINT shipment_lines_pkey PRIMARY KEY (shipment_id, order_id, line_no);


--
-- Name: shipments shipments_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_pkey PRIMARY KEY (id);


--
-- Name: stock_levels stock_levels_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.stock_levels
    ADD CONSTRAINT stock_levels_pkey PRIMARY KEY (warehouse_id, sku);


--
-- Name: suppliers suppliers_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.suppliers
    ADD CONSTRAINT suppliers_pkey PRIMARY KEY (id);


--
-- Name: tags tags_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);


--
-- Name: warehouses warehouses_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.warehouses
    ADD CONSTRAINT warehouses_pkey PRIMARY KEY (id);


--
-- Name: wishlist_items wishlist_items_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.wishlist_items
    ADD CONSTRAINT wishlist_items_pkey PRIMARY KEY (customer_id, sku);


--
-- Name: customers customers_email_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_email_key UNIQUE (email);


--
-- Name: categories categories_slug_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.categories
    ADD CONSTRAINT categories_slug_key UNIQUE (slug);


--
-- Name: brands brands_name_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.brands
    ADD CONSTRAINT brands_name_key UNIQUE (name);


--
-- Name: tags tags_label_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.tags
    ADD CONSTRAINT tags_label_key UNIQUE (label);


--
-- Name: reviews reviews_product_id_customer_id_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_product_id_customer_id_key UNIQUE (product_id, customer_id);


--
-- Name: payments payments_gateway_reference_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_gateway_reference_key UNIQUE (gateway_reference);


--
-- Name: orders_placed_at_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX orders_placed_at_idx ON shop.orders USING btree (placed_at DESC);


--
-- Name: orders orders_touch; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER orders_touch BEFORE UPDATE ON shop.orders FOR EACH ROW EXECUTE PROCEDURE shop.touch_updated_at();


--
-- Name: customers customers_referred_by_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_referred_by_id_fkey FOREIGN KEY (referred_by_id) REFERENCES shop.customers(id) ON DELETE SET NULL;


--
-- Name: addresses addresses_customer_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES shop.customers(id) ON DELETE CASCADE;


--
-- Name: addresses addresses_country_code_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_country_code_fkey FOREIGN KEY (country_code) REFERENCES shop.countries(code);


--
-- Name: categories categories_parent_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.categories
    ADD CONSTRAINT categories_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES shop.categories(id);


--
-- Name: brands brands_country_code_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.brands
    ADD CONSTRAINT brands_country_code_fkey FOREIGN KEY (country_code) REFERENCES shop.countries(code);


--
-- Name: suppliers suppliers_country_code_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.suppliers
    ADD CONSTRAINT suppliers_country_code_fkey FOREIGN KEY (country_code) REFERENCES shop.countries(code);


--
-- Name: products products_brand_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES shop.brands(id) ON DELETE SET NULL;


--
-- Name: products products_category_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_category_id_fkey FOREIGN KEY (category_id) REFERENCES shop.categories(id);


--
-- Name: product_variants product_variants_product_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_variants
    ADD CONSTRAINT product_variants_product_id_fkey FOREIGN KEY (product_id) REFERENCES shop.products(id) ON DELETE CASCADE;


--
-- Name: product_images product_images_product_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_images
    ADD CONSTRAINT product_images_product_id_fkey FOREIGN KEY (product_id) REFERENCES shop.products(id) ON DELETE CASCADE;


--
-- Name: product_suppliers product_suppliers_product_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_suppliers
    ADD CONSTRAINT product_suppliers_product_id_fkey FOREIGN KEY (product_id) REFERENCES shop.products(id);


--
-- Name: product_suppliers product_suppliers_supplier_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_suppliers
    ADD CONSTRAINT product_suppliers_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES shop.suppliers(id);


--
-- Name: product_tags product_tags_product_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_tags
    ADD CONSTRAINT product_tags_product_id_fkey FOREIGN KEY (product_id) REFERENCES shop.products(id) ON DELETE CASCADE;


--
-- Name: product_tags product_tags_tag_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_tags
    ADD CONSTRAINT product_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES shop.tags(id) ON DELETE CASCADE;


--
-- Name: warehouses warehouses_country_code_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.warehouses
    ADD CONSTRAINT warehouses_country_code_fkey FOREIGN KEY (country_code) REFERENCES shop.countries(code);


--
-- Name: stock_levels stock_levels_warehouse_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.stock_levels
    ADD CONSTRAINT stock_levels_warehouse_id_fkey FOREIGN KEY (warehouse_id) REFERENCES shop.warehouses(id);


--
-- Name: stock_levels stock_levels_sku_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.stock_levels
    ADD CONSTRAINT stock_levels_sku_fkey FOREIGN KEY (sku) REFERENCES shop.product_variants(sku) ON UPDATE CASCADE;


--
-- Name: purchase_orders purchase_orders_supplier_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.purchase_orders
    ADD CONSTRAINT purchase_orders_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES shop.suppliers(id);


--
-- Name: purchase_orders purchase_orders_warehouse_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.purchase_orders
    ADD CONSTRAINT purchase_orders_warehouse_id_fkey FOREIGN KEY (warehouse_id) REFERENCES shop.warehouses(id);


--
-- Name: purchase_order_lines purchase_order_lines_purchase_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.purchase_order_lines
    ADD CONSTRAINT purchase_order_lines_purchase_order_id_fkey FOREIGN KEY (purchase_order_id) REFERENCES shop.purchase_orders(id) ON DELETE CASCADE;


--
-- Name: purchase_order_lines purchase_order_lines_sku_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.purchase_order_lines
    ADD CONSTRAINT purchase_order_lines_sku_fkey FOREIGN KEY (sku) REFERENCES shop.product_variants(sku);


--
-- Name: orders orders_customer_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES shop.customers(id);


--
-- Name: orders orders_shipping_address_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_shipping_address_id_fkey FOREIGN KEY (shipping_address_id) REFERENCES shop.addresses(id);


--
-- Name: orders orders_billing_address_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_billing_address_id_fkey FOREIGN KEY (billing_address_id) REFERENCES shop.addresses(id);


--
-- Name: orders orders_coupon_code_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_coupon_code_fkey FOREIGN KEY (coupon_code) REFERENCES shop.coupons(code);


--
-- Name: order_lines order_lines_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.order_lines
    ADD CONSTRAINT order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(id) ON DELETE CASCADE;


--
-- Name: order_lines order_lines_sku_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.order_lines
    ADD CONSTRAINT order_lines_sku_fkey FOREIGN KEY (sku) REFERENCES shop.product_variants(sku);


--
-- Name: payments payments_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(id);


--
-- Name: shipments shipments_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(id);


--
-- Name: shipments shipments_warehouse_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_warehouse_id_fkey FOREIGN KEY (warehouse_id) REFERENCES shop.warehouses(id);


--
-- Name: shipment_lines shipment_lines_shipment_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipment_lines
    ADD CONSTRAINT shipment_lines_shipment_id_fkey FOREIGN KEY (shipment_id) REFERENCES shop.shipments(id) ON DELETE CASCADE;


--
-- Name: shipment_lines shipment_lines_order_id_line_no_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipment_lines
    ADD CONSTRAINT shipment_lines_order_id_line_no_fkey FOREIGN KEY (order_id, line_no) REFERENCES shop.order_lines(order_id, line_no);


--
-- Name: returns returns_order_id_line_no_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.returns
    ADD CONSTRAINT returns_order_id_line_no_fkey FOREIGN KEY (order_id, line_no) REFERENCES shop.order_lines(order_id, line_no);


--
-- Name: reviews reviews_product_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_product_id_fkey FOREIGN KEY (product_id) REFERENCES shop.products(id) ON DELETE CASCADE;


--
-- Name: reviews reviews_customer_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES shop.customers(id);


--
-- Name: wishlist_items wishlist_items_customer_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.wishlist_items
    ADD CONSTRAINT wishlist_items_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES shop.customers(id) ON DELETE CASCADE;


--
-- Name: wishlist_items wishlist_items_sku_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.wishlist_items
    ADD CONSTRAINT wishlist_items_sku_fkey FOREIGN KEY (sku) REFERENCES shop.product_variants(sku) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--
