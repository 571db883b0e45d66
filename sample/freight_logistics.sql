-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
--
-- PostgreSQL database dump
--

-- Dumped from database version 14.5
-- Dumped by pg_dump version 14.5

SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET row_security = off;

--
-- Name: shipment_status; Type: TYPE; Schema: public; Owner: freight
--

CREATE TYPE public.shipment_status AS ENUM (
    'booked',
    'in_transit',
    'held_at_customs',
    'delivered',
    'cancelled'
);


ALTER TYPE public.shipment_status OWNER TO freight;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: carrier; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.carrier (
    carrier_id integer NOT NULL,
    name character varying(80) NOT NULL,
    mode character varying(10) NOT NULL,
    insured_value numeric(12,2) DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL,
    CONSTRAINT carrier_mode_check CHECK (((mode)::text = ANY ((ARRAY['road'::character varying, 'rail'::character varying, 'sea'::character varying, 'air'::character varying])::text[])))
);


ALTER TABLE public.carrier OWNER TO freight;

--
-- Name: TABLE carrier; Type: COMMENT; Schema: public; Owner: freight
--

COMMENT ON TABLE public.carrier IS 'Companies that move freight for us';


--
-- Name: COLUMN carrier.insured_value; Type: COMMENT; Schema: public; Owner: freight
--

COMMENT ON COLUMN public.carrier.insured_value IS 'Cover per shipment, in euros';


--
-- Name: carrier_carrier_id_seq; Type: SEQUENCE; Schema: public; Owner: freight
--

CREATE SEQUENCE public.carrier_carrier_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.carrier_carrier_id_seq OWNED BY public.carrier.carrier_id;


--
-- Name: country; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.country (
    iso_code character(2) NOT NULL,
    name text NOT NULL,
    customs_union boolean DEFAULT false NOT NULL
);


--
-- Name: depot; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.depot (
    depot_id integer NOT NULL,
    code character varying(6) NOT NULL,
    city text NOT NULL,
    country_code character(2) NOT NULL,
    parent_depot_id integer,
    capacity_pallets integer,
    CONSTRAINT depot_capacity_positive CHECK ((capacity_pallets > 0))
);


COMMENT ON COLUMN public.depot.parent_depot_id IS 'The hub that serves this depot';


--
-- Name: vehicle; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.vehicle (
    vehicle_id integer NOT NULL,
    carrier_id integer NOT NULL,
    registration character varying(12) NOT NULL,
    max_load_kg numeric(9,1) NOT NULL,
    home_depot_id integer,
    in_service_since date
);


--
-- Name: customer; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.customer (
    customer_id integer NOT NULL,
    company_name text NOT NULL,
    contact_email text,
    country_code character(2) NOT NULL,
    credit_limit numeric(12,2) DEFAULT 5000.00,
    created_at timestamp without time zone DEFAULT now() NOT NULL
);


--
-- Name: shipment; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.shipment (
    shipment_id bigint NOT NULL,
    reference character varying(16) NOT NULL,
    customer_id integer NOT NULL,
    origin_depot_id integer NOT NULL,
    destination_depot_id integer NOT NULL,
    status public.shipment_status DEFAULT 'booked'::public.shipment_status NOT NULL,
    gross_weight_kg numeric(9,1) NOT NULL,
    booked_at timestamp without time zone NOT NULL,
    delivered_at timestamp without time zone,
    metadata jsonb DEFAULT '{}'::jsonb
);


--
-- Name: shipment_leg; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.shipment_leg (
    shipment_id bigint NOT NULL,
    leg_number smallint NOT NULL,
    vehicle_id integer NOT NULL,
    from_depot_id integer NOT NULL,
    to_depot_id integer NOT NULL,
    departed_at timestamp without time zone,
    arrived_at timestamp without time zone,
    distance_km integer
);


--
-- Name: leg_event; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.leg_event (
    event_id bigint NOT NULL,
    shipment_id bigint NOT NULL,
    leg_number smallint NOT NULL,
    event_type character varying(20) NOT NULL,
    occurred_at timestamp without time zone NOT NULL,
    note text
);


--
-- Name: package; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.package (
    package_id bigint NOT NULL,
    shipment_id bigint NOT NULL,
    label uuid NOT NULL,
    weight_kg numeric(7,2) NOT NULL,
    is_hazardous boolean DEFAULT false NOT NULL
);


--
-- Name: tariff; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.tariff (
    carrier_id integer NOT NULL,
    origin_country character(2) NOT NULL,
    destination_country character(2) NOT NULL,
    price_per_kg numeric(8,4) NOT NULL,
    valid_from date NOT NULL,
    valid_to date
);


--
-- Name: invoice; Type: TABLE; Schema: public; Owner: freight
--

CREATE TABLE public.invoice (
    invoice_no character varying(12) NOT NULL,
    shipment_id bigint NOT NULL,
    issued_on date NOT NULL,
    net_amount numeric(12,2) NOT NULL,
    vat_amount numeric(12,2) DEFAULT 0 NOT NULL,
    paid_on date
);


--
-- Name: carrier carrier_id; Type: DEFAULT; Schema: public; Owner: freight
--

ALTER TABLE ONLY public.carrier ALTER COLUMN carrier_id SET DEFAULT nextval('public.carrier_carrier_id_seq'::regclass);


--
-- Data for Name: carrier; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.carrier (carrier_id, name, mode, insured_value, active) FROM stdin;
1	Northline Haulage	road	250000.00	t
2	Bluewater Shipping	sea	2000000.00	t
3	Ironbridge Rail Freight	rail	750000.00	t
4	Skylark Air Cargo	air	1500000.00	f
\.


--
-- Data for Name: country; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.country (iso_code, name, customs_union) FROM stdin;
NL	Netherlands	t
DE	Germany	t
NO	Norway	f
GB	United Kingdom	f
\.


--
-- Data for Name: depot; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.depot (depot_id, code, city, country_code, parent_depot_id, capacity_pallets) FROM stdin;
1	RTM01	Rotterdam	NL	\N	4200
2	HAM01	Hamburg	DE	1	2600
3	OSL01	Oslo	NO	2	900
4	FXT01	Felixstowe	GB	1	3100
5	VEN02	Venlo	NL	1	1200
\.


--
-- Data for Name: vehicle; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.vehicle (vehicle_id, carrier_id, registration, max_load_kg, home_depot_id, in_service_since) FROM stdin;
1	1	NL-44-TRK	24000.0	1	2019-04-15
2	1	NL-91-TRK	18000.0	5	2021-08-02
3	2	MV GREY HERON	4200000.0	1	2008-01-20
4	3	RAIL-0077	960000.0	2	2015-11-30
\.


--
-- Data for Name: customer; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.customer (customer_id, company_name, contact_email, country_code, credit_limit, created_at) FROM stdin;
1	Tessel Ceramics BV	orders@tessel.example.com	NL	25000.00	2020-01-14 09:12:00
2	Fjordlys Lighting AS	logistics@fjordlys.example.com	NO	12000.00	2021-05-03 14:40:11
3	Pemberley Bikes Ltd	\N	GB	5000.00	2022-09-27 08:05:43
\.


--
-- Data for Name: shipment; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.shipment (shipment_id, reference, customer_id, origin_depot_id, destination_depot_id, status, gross_weight_kg, booked_at, delivered_at, metadata) FROM stdin;
1001	TC-2024-0007	1	5	2	delivered	1840.5	2024-01-09 10:00:00	2024-01-11 15:25:00	{"priority": "normal"}
1002	FL-2024-0002	2	1	3	held_at_customs	620.0	2024-01-22 08:30:00	\N	{"priority": "high"}
1003	PB-2024-0011	3	1	4	in_transit	2975.0	2024-02-02 11:45:00	\N	{}
1004	TC-2024-0009	1	5	4	booked	410.2	2024-02-05 16:20:00	\N	{}
\.


--
-- Data for Name: shipment_leg; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.shipment_leg (shipment_id, leg_number, vehicle_id, from_depot_id, to_depot_id, departed_at, arrived_at, distance_km) FROM stdin;
1001	1	2	5	2	2024-01-10 05:15:00	2024-01-10 11:40:00	432
1002	1	1	1	2	2024-01-23 04:50:00	2024-01-23 12:05:00	510
1002	2	4	2	3	2024-01-24 20:00:00	\N	1084
1003	1	3	1	4	2024-02-03 22:30:00	\N	206
\.


--
-- Data for Name: leg_event; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.leg_event (event_id, shipment_id, leg_number, event_type, occurred_at, note) FROM stdin;
1	1001	1	loaded	2024-01-10 04:55:00	\N
2	1001	1	unloaded	2024-01-10 12:10:00	Two pallets rewrapped
3	1002	1	loaded	2024-01-23 04:30:00	\N
4	1002	2	customs_hold	2024-01-25 09:10:00	Missing certificate\nof origin
5	1003	1	loaded	2024-02-03 19:45:00	\N
\.


--
-- Data for Name: package; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.package (package_id, shipment_id, label, weight_kg, is_hazardous) FROM stdin;
1	1001	6f1c2f7e-0b5b-4d0e-9a37-0d5f3c0a1b01	920.25	f
2	1001	6f1c2f7e-0b5b-4d0e-9a37-0d5f3c0a1b02	920.25	f
3	1002	6f1c2f7e-0b5b-4d0e-9a37-0d5f3c0a1b03	620.00	t
4	1003	6f1c2f7e-0b5b-4d0e-9a37-0d5f3c0a1b04	2975.00	f
5	1004	6f1c2f7e-0b5b-4d0e-9a37-0d5f3c0a1b05	410.20	f
\.


--
-- Data for Name: tariff; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.tariff (carrier_id, origin_country, destination_country, price_per_kg, valid_from, valid_to) FROM stdin;
1	NL	DE	0.3150	2024-01-01	\N
3	DE	NO	0.4725	2024-01-01	2024-06-30
2	NL	GB	0.1880	2023-07-01	\N
\.


--
-- Data for Name: invoice; Type: TABLE DATA; Schema: public; Owner: freight
--

COPY public.invoice (invoice_no, shipment_id, issued_on, net_amount, vat_amount, paid_on) FROM stdin;
INV-24-0001	1001	2024-01-12	579.76	121.75	2024-02-01
INV-24-0002	1002	2024-01-26	488.25	0.00	\N
\.


--
-- Name: carrier_carrier_id_seq; Type: SEQUENCE SET; Schema: public; Owner: freight
--

SELECT pg_catalog.setval('public.carrier_carrier_id_seq', 4, true);


ALTER TABLE ONLY public.carrier
    ADD CONSTRAINT carrier_pkey PRIMARY KEY (carrier_id);


ALTER TABLE ONLY public.carrier
    ADD CONSTRAINT carrier_name_key UNIQUE (name);


ALTER TABLE ONLY public.country
    ADD CONSTRAINT country_pkey PRIMARY KEY (iso_code);


ALTER TABLE ONLY public.depot
    ADD CONSTRAINT depot_pkey PRIMARY KEY (depot_id);


ALTER TABLE ONLY public.depot
    ADD CONSTRAINT depot_code_key UNIQUE (code);


ALTER TABLE ONLY public.vehicle
    ADD CONSTRAINT vehicle_pkey PRIMARY KEY (vehicle_id);


ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (customer_id);


ALTER TABLE ONLY public.shipment
    ADD CONSTRAINT shipment_pkey PRIMARY KEY (shipment_id);


ALTER TABLE ONLY public.shipment_leg
    ADD CONSTRAINT shipment_leg_pkey PRIMARY KEY (shipment_id, leg_number);


ALTER TABLE ONLY public.leg_event
    ADD CONSTRAINT leg_event_pkey PRIMARY KEY (event_id);


ALTER TABLE ONLY public.package
    ADD CONSTRAINT package_pkey PRIMARY KEY (package_id);


ALTER TABLE ONLY public.package
    ADD CONSTRAINT package_label_key UNIQUE (label);


ALTER TABLE ONLY public.tariff
    ADD CONSTRAINT tariff_pkey PRIMARY KEY (carrier_id, origin_country, destination_country, valid_from);


ALTER TABLE ONLY public.invoice
    ADD CONSTRAINT invoice_pkey PRIMARY KEY (invoice_no);


CREATE INDEX shipment_booked_at_idx ON public.shipment USING btree (booked_at);


CREATE UNIQUE INDEX shipment_reference_idx ON public.shipment USING btree (reference);


ALTER TABLE ONLY public.depot
    ADD CONSTRAINT depot_country_code_fkey FOREIGN KEY (country_code) REFERENCES public.country(iso_code);


ALTER TABLE ONLY public.depot
    ADD CONSTRAINT depot_parent_depot_id_fkey FOREIGN KEY (parent_depot_id) REFERENCES public.depot(depot_id) ON DELETE SET NULL;


ALTER TABLE ONLY public.vehicle
    ADD CONSTRAINT vehicle_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES public.carrier(carrier_id) ON DELETE CASCADE;


ALTER TABLE ONLY public.vehicle
    ADD CONSTRAINT vehicle_home_depot_id_fkey FOREIGN KEY (home_depot_id) REFERENCES public.depot(depot_id);


ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_country_code_fkey FOREIGN KEY (country_code) REFERENCES public.country(iso_code);


ALTER TABLE ONLY public.shipment
    ADD CONSTRAINT shipment_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customer(customer_id) ON DELETE RESTRICT;


ALTER TABLE ONLY public.shipment
    ADD CONSTRAINT shipment_origin_fkey FOREIGN KEY (origin_depot_id) REFERENCES public.depot(depot_id);


ALTER TABLE ONLY public.shipment
    ADD CONSTRAINT shipment_destination_fkey FOREIGN KEY (destination_depot_id) REFERENCES public.depot(depot_id);


ALTER TABLE ONLY public.shipment_leg
    ADD CONSTRAINT shipment_leg_shipment_id_fkey FOREIGN KEY (shipment_id) REFERENCES public.shipment(shipment_id) ON DELETE CASCADE;


ALTER TABLE ONLY public.shipment_leg
    ADD CONSTRAINT shipment_leg_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES public.vehicle(vehicle_id);


ALTER TABLE ONLY public.shipment_leg
    ADD CONSTRAINT shipment_leg_from_fkey FOREIGN KEY (from_depot_id) REFERENCES public.depot(depot_id);


ALTER TABLE ONLY public.shipment_leg
    ADD CONSTRAINT shipment_leg_to_fkey FOREIGN KEY (to_depot_id) REFERENCES public.depot(depot_id);


ALTER TABLE ONLY public.leg_event
    ADD CONSTRAINT leg_event_leg_fkey FOREIGN KEY (shipment_id, leg_number) REFERENCES public.shipment_leg(shipment_id, leg_number) ON UPDATE CASCADE ON DELETE CASCADE;


ALTER TABLE ONLY public.package
    ADD CONSTRAINT package_shipment_id_fkey FOREIGN KEY (shipment_id) REFERENCES public.shipment(shipment_id) ON DELETE CASCADE;


ALTER TABLE ONLY public.tariff
    ADD CONSTRAINT tariff_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES public.carrier(carrier_id);


ALTER TABLE ONLY public.tariff
    ADD CONSTRAINT tariff_origin_country_fkey FOREIGN KEY (origin_country) REFERENCES public.country(iso_code);


ALTER TABLE ONLY public.tariff
    ADD CONSTRAINT tariff_destination_country_fkey FOREIGN KEY (destination_country) REFERENCES public.country(iso_code);


ALTER TABLE ONLY public.invoice
    ADD CONSTRAINT invoice_shipment_id_fkey FOREIGN KEY (shipment_id) REFERENCES public.shipment(shipment_id);


--
-- PostgreSQL database dump complete
--
